"""Conversion in place: a journal makes a killed run complete itself, a backup makes it undoable."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch2ms.project.cache import digest
from torch2ms.project.errors import UsageProblem, reason
from torch2ms.project.write import write_atomic

STATE = ".torch2ms"


@dataclass(frozen=True, slots=True)
class Change:
    """New bytes for a file of the project, and the bytes they were made from."""

    rel: str
    old: bytes
    new: bytes


def apply_changes(root: Path, changes: Sequence[Change], backup: bool) -> list[tuple[str, str]]:
    """Writes the changes; the answer lists the files that could not be written, each with the reason.

    A file that changed since it was read is left alone.
    """
    finish(root)
    if backup and changes:
        _save(root, changes)
    if len(changes) == 1:
        return _apply(root, [(c.rel, digest(c.old), c.new) for c in changes])
    journal = root / STATE / "journal"
    if changes:
        _stage(journal, changes)
    failures = _apply(root, [(c.rel, digest(c.old), c.new) for c in changes])
    _drop(root, journal)
    return failures


def finish(root: Path) -> int:
    """Completes what a killed run had begun; the number of files it wrote."""
    journal = root / STATE / "journal"
    if not journal.is_dir():
        return 0
    done = 0
    try:
        entries = json.loads((journal / "journal.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        entries = []  # killed while staging: no file of the project was touched yet
    for number, (rel, old) in enumerate(entries):
        staged = journal / str(number)
        if staged.is_file():
            done += not _apply(root, [(rel, old, staged.read_bytes())], quietly=True)
    _drop(root, journal)
    return done


def undo(root: Path, force: bool = False) -> int:
    """Brings back the files of the last conversion with --backup; the number of files."""
    backups = sorted((root / STATE / "backup").glob("*/backup.json"), key=lambda path: int(path.parent.name))
    if not backups:
        raise UsageProblem(f"there is no backup under {root}", "torch2ms convert --in-place --backup makes one")
    record = backups[-1]
    entries = json.loads(record.read_text(encoding="utf-8"))
    changed = [rel for rel, old, new in entries if _digest_of(root / rel) not in (old, new)]
    if changed and not force:
        raise UsageProblem(
            f"changed since the conversion: {', '.join(changed[:5])}{' ...' if len(changed) > 5 else ''}",
            "use --force to bring back the old files all the same",
        )
    for number, (rel, _, _) in enumerate(entries):
        (root / rel).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(root / rel, (record.parent / str(number)).read_bytes())
    _drop(root, record.parent)
    return len(entries)


def _apply(root: Path, items: Sequence[tuple[str, str, bytes]], quietly: bool = False) -> list[tuple[str, str]]:
    failures = []
    for rel, old, new in items:
        path = root / rel
        if _digest_of(path) != old:
            if not quietly:
                failures.append((rel, "the file changed while it was converted and was left alone"))
            continue
        try:
            write_atomic(path, new)
        except OSError as error:
            failures.append((rel, f"the file cannot be written: {reason(error)}"))
    return failures


def _stage(journal: Path, changes: Sequence[Change]) -> None:
    _make_state(journal.parent)
    journal.mkdir(exist_ok=True)
    for number, change in enumerate(changes):
        (journal / str(number)).write_bytes(change.new)
    entries = [[change.rel, digest(change.old)] for change in changes]
    write_atomic(journal / "journal.json", json.dumps(entries).encode("utf-8"))


def _save(root: Path, changes: Sequence[Change]) -> None:
    _make_state(root / STATE)
    parent = root / STATE / "backup"
    parent.mkdir(exist_ok=True)
    numbers = [int(path.name) for path in parent.iterdir() if path.name.isdigit()]
    folder = parent / str(max(numbers, default=0) + 1)
    folder.mkdir()
    for number, change in enumerate(changes):
        (folder / str(number)).write_bytes(change.old)
    entries = [[change.rel, digest(change.old), digest(change.new)] for change in changes]
    write_atomic(folder / "backup.json", json.dumps(entries).encode("utf-8"))


def _make_state(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _drop(root: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    state = root / STATE
    with contextlib.suppress(OSError):
        (state / "backup").rmdir()
    if state.is_dir() and {child.name for child in state.iterdir()} <= {".gitignore"}:
        shutil.rmtree(state, ignore_errors=True)


def _digest_of(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""
