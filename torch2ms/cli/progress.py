"""A progress bar with an estimate for long runs, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torch2ms.project.outcome import FileOutcome

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# fewer files than this are done before anybody could read a bar
_MANY = 20


class Bar:
    """Callbacks of a run; shows nothing unless there is much to do and somebody to see it."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def start(self, total: int) -> None:
        """The number of files is known."""
        if total < _MANY or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        # no refresh thread: worker processes are forked from this one
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        self._task = self._progress.add_task(self._verb, total=total)
        self._progress.start()

    def done(self, outcome: FileOutcome) -> None:
        """One file is done."""
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, advance=1)
            self._progress.refresh()

    def stop(self) -> None:
        """Removes the bar."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def bar(verb: str) -> Iterator[Bar]:
    """A bar that is gone afterwards, whatever happens."""
    shown = Bar(verb)
    try:
        yield shown
    finally:
        shown.stop()


@contextmanager
def bytes_bar(verb: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that is told of bytes as they are done; shows them on a terminal."""
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=total)
        yield lambda count: progress.update(task, advance=count)
