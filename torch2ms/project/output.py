"""The converted project as a folder of its own, with a record of what was written so that nothing else is overwritten."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import torch2ms
from torch2ms.project.cache import digest
from torch2ms.project.discover import MANIFEST
from torch2ms.project.errors import UsageProblem, reason
from torch2ms.project.write import copy_atomic, link_atomic, write_atomic

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Planned:
    """One file of the output: new bytes, or (None) a copy or link of `source`."""

    rel: str
    source: Path
    data: bytes | None = None


@dataclass(slots=True)
class Written:
    """Counts of what became of the output, and of copies that failed."""

    written: int = 0
    kept: int = 0
    removed: int = 0
    failures: list[tuple[str, str]] | None = None


def write_output(
    folder: Path, planned: Iterable[Planned], force: bool, step: Callable[[], None] = lambda: None
) -> Written:
    """Writes the files below `folder`; UsageProblem before the first byte where others' files would be overwritten."""
    planned = list(planned)
    record = read_record(folder)
    marks = {item.rel: _mark_of(item) for item in planned}
    _check(folder, planned, marks, record, force)
    folder.mkdir(parents=True, exist_ok=True)
    # both the old and the new state are ours until the run is over: a run that is killed can be repeated
    _write_record(folder, {rel: [*record.get(rel, []), mark] for rel, mark in marks.items()} | _only_in(record, marks))
    done = Written(failures=[])
    for item in planned:
        _write(folder / item.rel, item, marks[item.rel], done)
        step()
    done.removed = _remove_stale(folder, record, marks)
    _write_record(folder, {rel: [mark] for rel, mark in marks.items()})
    return done


def read_record(folder: Path) -> dict[str, list[str]]:
    """Relative path -> the states in which a former run left it; empty where there was none."""
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    files = document.get("files") if isinstance(document, dict) else None
    return {str(rel): list(marks) for rel, marks in files.items()} if isinstance(files, dict) else {}


def _write_record(folder: Path, files: dict[str, list[str]]) -> None:
    document = {"tool": "torch2ms", "version": torch2ms.__version__, "files": dict(sorted(files.items()))}
    write_atomic(folder / MANIFEST, (json.dumps(document, indent=1) + "\n").encode("utf-8"))


def _only_in(record: dict[str, list[str]], marks: dict[str, str]) -> dict[str, list[str]]:
    return {rel: states for rel, states in record.items() if rel not in marks}


def _mark_of(item: Planned) -> str:
    if item.data is not None:
        return "content:" + digest(item.data)
    return _link_mark(item.source) if item.source.is_symlink() else _copy_mark(item.source)


def _link_mark(path: Path) -> str:
    return "link:" + os.readlink(path)


def _copy_mark(path: Path) -> str:
    status = path.stat()
    return f"copy:{status.st_size}:{status.st_mtime_ns // 1000}"


def _matches(path: Path, marks: Iterable[str]) -> bool:
    """Whether the file is in one of the recorded states."""
    if path.is_symlink():
        return _link_mark(path) in marks
    if not path.is_file():
        return False
    if _copy_mark(path) in marks:
        return True
    return any(mark.startswith("content:") for mark in marks) and "content:" + digest(path.read_bytes()) in marks


def _check(
    folder: Path, planned: list[Planned], marks: dict[str, str], record: dict[str, list[str]], force: bool
) -> None:
    blocked, foreign = [], []
    parents: dict[Path, bool] = {}
    for item in planned:
        path = folder / item.rel
        if _leads_outside(folder, path.parent, parents) or (path.is_dir() and not path.is_symlink()):
            blocked.append(item.rel)
        elif not force and os.path.lexists(path) and not _matches(path, [*record.get(item.rel, []), marks[item.rel]]):
            foreign.append(item.rel)
    if blocked:
        raise UsageProblem(
            f"{folder} holds folders or links where files of the output must go: {_list(blocked)}",
            "choose another output folder with -o",
        )
    if foreign:
        raise UsageProblem(
            f"{folder} holds files that torch2ms did not write or that were changed since: {_list(foreign)}",
            "choose another output folder with -o, or overwrite them with --force",
        )


def _leads_outside(folder: Path, parent: Path, known: dict[Path, bool]) -> bool:
    if parent == folder or not parent.is_relative_to(folder):
        return False
    if parent not in known:
        in_the_way = parent.is_symlink() or (parent.exists() and not parent.is_dir())
        known[parent] = in_the_way or _leads_outside(folder, parent.parent, known)
    return known[parent]


def _list(rels: list[str]) -> str:
    more = f" and {len(rels) - _SHOWN} more" if len(rels) > _SHOWN else ""
    return ", ".join(rels[:_SHOWN]) + more


def _write(path: Path, item: Planned, mark: str, done: Written) -> None:
    try:
        if os.path.lexists(path) and _matches(path, [mark]) and _same_mode(path, item.source):
            done.kept += 1
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if item.data is not None:
            write_atomic(path, item.data, mode_of=item.source)
        elif item.source.is_symlink():
            link_atomic(item.source, path)
        else:
            copy_atomic(item.source, path)
        done.written += 1
    except OSError as error:
        assert done.failures is not None
        done.failures.append((item.rel, f"the file cannot be written: {reason(error)}"))


def _same_mode(path: Path, source: Path) -> bool:
    if path.is_symlink():
        return True
    return not source.exists() or stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(source.stat().st_mode)


def _remove_stale(folder: Path, record: dict[str, list[str]], marks: dict[str, str]) -> int:
    removed = 0
    for rel, states in record.items():
        path = folder / rel
        if rel in marks or not path.resolve().is_relative_to(folder.resolve()) or not _matches(path, states):
            continue
        path.unlink()
        removed += 1
        for parent in path.parents:
            if parent == folder or any(parent.iterdir()):
                break
            parent.rmdir()
    return removed
