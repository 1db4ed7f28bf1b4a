"""What a conversion of weights will do, and doing it: one tensor after the other, no file half written."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.casting import FLOATS, read_as
from torch2ms.weights.files import WRITERS, Weights, index_name, index_text, open_weights, part_name
from torch2ms.weights.formats import atomic, dtypes, errors
from torch2ms.weights.names import Naming, NewName, new_names
from torch2ms.weights.stored import StoredTensor


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of a conversion."""

    dtype: str | None = None
    naming: Naming = field(default_factory=Naming)
    key: str | None = None
    format: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor on its way."""

    old: str
    tensor: StoredTensor
    new: NewName
    dtype: str

    @property
    def size(self) -> int:
        """Bytes in the new file."""
        return math.prod(self.tensor.shape) * dtypes.SIZES[self.dtype]


@dataclass(frozen=True, slots=True)
class Part:
    """One file on its way: the old one, the name of the new one, its tensors."""

    source: Weights
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that will be written: the parts into `target`, which is a folder or the one file."""

    target: Path
    suffix: str
    parts: tuple[Part, ...]
    is_folder: bool
    has_index: bool

    def entries(self) -> Iterator[Entry]:
        """Give all tensors."""
        for part in self.parts:
            yield from part.entries

    def left_out(self) -> list[str]:
        """Return the names of everything that is not written."""
        return [name for part in self.parts for name in part.source.left_out] + [
            entry.old for entry in self.entries() if entry.new.name is None
        ]


def make_plan(source: Path, target: Path, wanted: Wanted) -> Plan:
    """Return what converting `source` will write; raises UsageProblem where something is unclear. Reads no numbers."""
    suffix, is_folder = _target_format(source, target, wanted)
    if target.exists() and not wanted.force and not (target.is_dir() and is_folder and not any(target.iterdir())):
        raise UsageProblem(f"{target} exists", "--force replaces it")
    files = open_weights(source, wanted.key)
    shapes = {name: tensor.shape for file in files for name, tensor in file.tensors.items()}
    names = new_names(shapes, wanted.naming)
    parts = []
    for file in files:
        entries = tuple(
            Entry(name, tensor, names[name], _dtype(tensor.dtype, wanted.dtype)) for name, tensor in file.tensors.items()
        )
        parts.append(Part(file, part_name(file.path, suffix), entries))
    if not is_folder and len(parts) > 1:
        together = tuple(entry for part in parts for entry in part.entries)
        beside = tuple(name for file in files for name in file.left_out)
        metadata = {key: value for file in files for key, value in (file.metadata or {}).items()}
        parts = [Part(Weights(source, {}, beside, metadata), target.name, together)]
    if len({part.name for part in parts}) != len(parts):
        raise UsageProblem(f"{source}: two of its files would get the same name in {target}")
    return Plan(target, suffix, tuple(parts), is_folder, len(parts) > 1)


def _target_format(source: Path, target: Path, wanted: Wanted) -> tuple[str, bool]:
    asked = f".{wanted.format}" if wanted.format else None
    if target.suffix in WRITERS and not target.is_dir():
        if asked and asked != target.suffix:
            raise UsageProblem(f"{target} is no name for a {asked} file")
        return target.suffix, False
    if asked:
        return asked, True
    if source.is_dir() or target.is_dir():
        raise UsageProblem(f"{target}: which format?", f"--to {{{','.join(suffix[1:] for suffix in WRITERS)}}}")
    raise UsageProblem(f"{target}: unknown format", f"a file name ends with one of {' '.join(WRITERS)}")


def _dtype(old: str, wanted: str | None) -> str:
    return wanted if wanted and old in FLOATS else old


def carry_out(plan: Plan, done: Callable[[int], None]) -> None:
    """Write what the plan says; `done(bytes)` is told of every piece. After an error nothing has changed."""
    if not plan.is_folder:
        _write(plan.parts[0], plan.target, plan.suffix, done)
        return
    plan.target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{plan.target.name}.", dir=plan.target.parent))
    try:
        for part in plan.parts:
            _write(part, folder / part.name, plan.suffix, done)
        if plan.has_index:
            places = {e.new.name: part.name for part in plan.parts for e in part.entries if e.new.name is not None}
            total = sum(entry.size for entry in plan.entries() if entry.new.name is not None)
            (folder / index_name(plan.suffix)).write_text(index_text(places, total), encoding="utf-8")
        plan.target.mkdir(exist_ok=True)
        # the index last: whoever sees it finds all of its files
        for file in sorted(folder.iterdir(), key=lambda file: file.suffix == ".json"):
            os.replace(file, plan.target / file.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(part: Part, path: Path, suffix: str, done: Callable[[int], None]) -> None:
    written = {entry.new.name: entry for entry in part.entries if entry.new.name is not None}

    def pieces(name: str) -> Iterator[Any]:
        entry = written[name]
        for piece in read_as(entry.old, entry.tensor, entry.dtype):
            yield piece
            done(len(piece))

    tensors = {name: _reshaped(entry) for name, entry in written.items()}
    types = {name: entry.dtype for name, entry in written.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with atomic.writing(path) as file:
            WRITERS[suffix](file, tensors, types, pieces, part.source.metadata or {})
    except errors.DamagedCheckpoint as error:
        raise UsageProblem(str(error)) from error


def _reshaped(entry: Entry) -> StoredTensor:
    old = entry.tensor
    if entry.new.shape == old.shape:
        return old
    # only the shape that is written down; the numbers are read from the entry's own tensor
    return StoredTensor(old.dtype, entry.new.shape, old.places, old.offset, old.strides)
