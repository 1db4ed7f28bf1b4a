"""`--watch`: convert again whenever something changes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import click

from torch2ms.project.discover import EntryKind, discover
from torch2ms.project.errors import UsageProblem

_PAUSE = 0.5


def watch(convert: Callable[[], int], paths: tuple[Path, ...]) -> None:
    """Runs `convert` now and after every change of a file under the paths; Ctrl-C ends it."""
    with contextlib.suppress(KeyboardInterrupt):
        _watch(convert, paths)


def _watch(convert: Callable[[], int], paths: tuple[Path, ...]) -> None:
    seen: dict[str, tuple[int, int]] | None = None
    while True:
        now = _state(paths)
        if now != seen:
            seen = now
            try:
                convert()
            except UsageProblem as problem:
                click.echo(f"error: {problem}", err=True)
            click.echo("watching for changes; Ctrl-C ends")
            # converting in place changes the files itself
            seen = _state(paths)
        time.sleep(_PAUSE)


def _state(paths: tuple[Path, ...]) -> dict[str, tuple[int, int]]:
    state = {}
    for path in paths:
        for entry in discover(path).of(EntryKind.PYTHON, EntryKind.NOTEBOOK, EntryKind.MARKDOWN):
            try:
                status = entry.path.stat()
            except OSError:
                continue
            state[str(entry.path)] = (status.st_size, status.st_mtime_ns)
    return state
