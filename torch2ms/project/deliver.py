"""Where converted files go: a folder of their own, one file, or back into the project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch2ms
from torch2ms.project import inplace
from torch2ms.project.discover import Entry, EntryKind
from torch2ms.project.errors import UsageProblem
from torch2ms.project.gather import Sources
from torch2ms.project.outcome import RunOutcome
from torch2ms.project.output import Planned, write_output
from torch2ms.project.skips import add_skips
from torch2ms.project.write import write_atomic


@dataclass(slots=True)
class Delivery:
    """What was written where, and what could not be written (path, reason)."""

    place: Path
    written: int = 0
    kept: int = 0
    removed: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)


def default_output(path: Path) -> Path:
    """`project_ms` beside `project`, `train_ms.py` beside `train.py`."""
    full = path.resolve()
    if path.is_dir():
        return full.with_name((full.name or "project") + "_ms")
    return full.with_name(f"{full.stem}_ms{full.suffix}")


def check_output(source: Path, output: Path) -> None:
    """UsageProblem where the output would overwrite its own input."""
    source, output = source.resolve(), output.resolve()
    if source == output:
        raise UsageProblem("the output is the input", "use --in-place to convert a project where it is")
    if source.is_relative_to(output):
        raise UsageProblem(f"the input lies inside the output folder {output}", "choose another folder with -o")
    if source.is_dir() and output.exists() and not output.is_dir():
        raise UsageProblem(f"{output} is a file, but the input is a folder")


def to_folder(
    sources: Sources,
    run: RunOutcome,
    output: Path,
    *,
    force: bool = False,
    vendored: str = "",
    step: Callable[[], None] = lambda: None,
) -> Delivery:
    """Writes the complete project below `output`: converted files, and all others as they are."""
    data = {file.rel: file.data for file in run.files if file.data is not None}
    planned = [Planned(entry.rel, entry.path, data.get(entry.rel)) for entry in _reachable(sources)]
    if vendored:
        planned += _vendored(vendored, {item.rel for item in planned})
    done = write_output(output, planned, force, step)
    return Delivery(output, done.written, done.kept, done.removed, done.failures or [])


def _reachable(sources: Sources) -> Iterator[Entry]:
    unread = {problem.rel for problem in sources.problems if problem.code == "T2M005"}
    return (entry for entry in sources.tree.entries if entry.rel not in unread)


def _vendored(name: str, taken: set[str]) -> list[Planned]:
    if any(rel == f"{name}.py" or rel.startswith(f"{name}/") for rel in taken):
        raise UsageProblem(f"the project has a module {name!r} of its own", "choose another name for --vendor-runtime")
    package = Path(torch2ms.__file__).parent / "runtime"
    files = sorted(path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return [Planned(f"{name}/{path.relative_to(package).as_posix()}", path, path.read_bytes()) for path in files]


def to_file(run: RunOutcome, source: Path, output: Path, force: bool = False) -> Delivery:
    """Writes the one file of the run to `output` (a folder: under its own name)."""
    if output.is_dir():
        output = output / source.name
    check_output(source, output)
    file = next((file for file in run.files if file.kind is not EntryKind.OTHER), None)
    data = file.data if file is not None and file.data is not None else source.read_bytes()
    if output.exists() and not output.is_file():
        raise UsageProblem(f"{output} is not a file", "use `-` to convert standard input to standard output")
    if output.exists() and output.read_bytes() == data:
        return Delivery(output, kept=1)
    if output.exists() and not force:
        raise UsageProblem(f"{output} exists and differs", "choose another file with -o, or overwrite it with --force")
    if not output.parent.is_dir():
        output.parent.mkdir(parents=True)
    write_atomic(output, data, mode_of=source)
    return Delivery(output, written=1)


def in_place(sources: Sources, run: RunOutcome, backup: bool = False) -> Delivery:
    """Writes the changed files back where they came from."""
    changes = [
        inplace.Change(file.rel, sources.data[file.rel], file.data)
        for file in run.files
        if file.data is not None and file.rel in sources.data
    ]
    failures = inplace.apply_changes(sources.root, changes, backup)
    return Delivery(sources.root, len(changes) - len(failures), failures=failures)


def with_skips(sources: Sources, run: RunOutcome) -> int:
    """Puts skip comments on the lines of the run's findings in Python files; the number of files."""
    changes = []
    for file in run.files:
        if file.kind is EntryKind.PYTHON and file.diagnostics and file.rel in sources.data and file.result.source.text:
            new = add_skips(file).encode(file.result.source.encoding)
            if new != sources.data[file.rel]:
                changes.append(inplace.Change(file.rel, sources.data[file.rel], new))
    failures = inplace.apply_changes(sources.root, changes, backup=False)
    return len(changes) - len(failures)
