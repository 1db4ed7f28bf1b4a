"""From the paths of a command to the outcome of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from torch2ms.project.cache import Cache, default_folder
from torch2ms.project.config import Config
from torch2ms.project.dependencies import change_dependencies
from torch2ms.project.discover import EntryKind, discover
from torch2ms.project.errors import UsageProblem
from torch2ms.project.gather import Sources, gather_files, gather_folder
from torch2ms.project.inplace import finish
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.project.pool import default_jobs
from torch2ms.project.run import Settings, convert_all
from torch2ms.project.suppress import suppress


@dataclass(slots=True)
class Request:
    """What a command wants converted and how."""

    paths: tuple[Path, ...]
    config: Config = field(default_factory=Config)
    jobs: int | None = None
    no_cache: bool = False
    markdown: bool = False
    checking: bool = False
    strict: bool = False
    in_place: bool = False
    hook: bool = False  # files come from a commit hook: the configuration can exclude them although they are named
    leave_out: tuple[Path, ...] = ()
    on_start: Callable[[int], None] = lambda total: None
    on_done: Callable[[FileOutcome], None] = lambda outcome: None


def check_paths(paths: Iterable[str]) -> tuple[Path, ...]:
    """The paths, `.` where there are none; UsageProblem where one does not exist."""
    paths = tuple(paths)
    if "-" in paths:
        raise UsageProblem("`-` is standard input, the one file of convert, check or diff", "a file of that name is ./-")
    found = tuple(Path(path) for path in paths) or (Path("."),)
    for path in found:
        if not path.exists():
            if path.is_symlink():
                raise UsageProblem(f"{path} is a link that leads nowhere or to itself")
            raise UsageProblem(f"{path} does not exist")
        if not path.is_dir() and not path.is_file():
            raise UsageProblem(f"{path} is neither a file nor a folder")
    return found


def gather(request: Request) -> Sources:
    """The files of a request: one folder, or any mix of files and folders."""
    kinds = (EntryKind.PYTHON, EntryKind.NOTEBOOK, *((EntryKind.MARKDOWN,) if request.markdown else ()))
    if len(request.paths) == 1 and request.paths[0].is_dir():
        return gather_folder(request.paths[0], request.config.patterns(request.paths[0]), kinds, request.leave_out)
    files: list[Path] = []
    for path in request.paths:
        if path.is_dir():
            tree = discover(path, request.config.patterns(path), request.leave_out)
            files += [entry.path for entry in tree.of(*kinds)]
        elif not request.hook or request.config.patterns(path.parent).converts(path.name):
            files.append(path)
    return gather_files(dict.fromkeys(files)) if files else Sources(Path("."), discover(Path(".")))


def run_request(request: Request) -> tuple[Sources, RunOutcome]:
    """The sources of a request and what became of them, without what the user suppressed."""
    sources = gather(request)
    if request.in_place and finish(sources.root):
        # a run that was killed is complete only now
        sources = gather(request)
    settings = Settings(
        request.config,
        request.jobs or default_jobs(),
        Cache(None if request.no_cache else default_folder()),
        request.checking,
        request.strict,
        request.on_start,
        request.on_done,
    )
    run = convert_all(sources, settings)
    change_dependencies(sources, run, request.config, request.checking)
    return sources, suppress(run, request.config)
