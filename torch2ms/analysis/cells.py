"""Facts that functions write for one another while kinds are inferred, and who must run again when one changes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from torch2ms.analysis.lattice import BOTTOM, KindInfo, join
from torch2ms.analysis.names import Names
from torch2ms.analysis.scope import Scope

Key = tuple[Hashable, ...]
Body = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


@dataclass(eq=False, slots=True)
class Unit:
    """A def, lambda or module body: what is run as one piece."""

    node: Body
    names: Names
    qualified: str
    scope: Scope
    owner: str | None = None  # the class of a method
    binding: str = ""  # "self", "class" or "static" for a method
    runs: int = 0
    running: bool = False
    defaults: dict[str, KindInfo] = field(default_factory=dict)
    evidence: dict[str, KindInfo] = field(default_factory=dict)  # what the use of a parameter says of it
    inputs: dict[str, KindInfo] = field(default_factory=dict)  # kinds of the parameters in the last run
    publishes: bool = False  # whether inner functions may read its variables
    context: bool = False  # a generator made a context manager
    writes: bool = False  # whether it may write a tensor in place
    wrapped: bool = False  # by a decorator that may change what calls give

    @property
    def parameters(self) -> list[str]:
        """The names of the positional parameters."""
        args = getattr(self.node, "args", None)
        return [a.arg for a in (*args.posonlyargs, *args.args)] if args is not None else []


@dataclass(eq=False, slots=True)
class Cell:
    """One fact: the join of what its writers said last."""

    value: KindInfo = BOTTOM
    parts: dict[object, tuple[int, KindInfo]] = field(default_factory=dict)
    readers: dict[Unit, None] = field(default_factory=dict)
    closed: bool = False  # nothing writes it; readers got a fallback


class Cells:
    """All facts, and the units whose inputs changed since they ran."""

    def __init__(self) -> None:
        self._cells: dict[Key, Cell] = {}
        self.dirty: dict[Unit, None] = {}

    def get(self, key: Key) -> Cell | None:
        """The cell of a fact that someone wrote or asked for."""
        return self._cells.get(key)

    def read(self, key: Key, reader: Unit) -> KindInfo:
        """The fact as it stands; the reader runs again when it changes. BOTTOM: nobody wrote it yet."""
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[key] = Cell()
        cell.readers[reader] = None
        return cell.value

    def write(self, key: Key, writer: object, run: int, info: KindInfo) -> None:
        """Says what one run of a writer contributes; a later run replaces what an earlier one said."""
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[key] = Cell()
        old = cell.parts.get(writer)
        if old is not None and old[0] == run:
            merged = join(old[1], info)
            if merged is old[1] or merged == old[1]:
                return
            info = merged
        cell.parts[writer] = (run, info)
        if old is not None and (old[1] is info or old[1] == info):
            return
        value = join(cell.value, info) if old is None and not cell.closed else BOTTOM
        if value is BOTTOM:
            for _, part in cell.parts.values():
                value = join(value, part)
        if value is not cell.value and value != cell.value:
            cell.value = value
            cell.closed = False
            self.dirty.update(cell.readers)

    def seed(self, key: Key, info: KindInfo) -> None:
        """A fact known beforehand."""
        self.write(key, "known before", 0, info)

    def close(self, fallback: Callable[[Key], KindInfo]) -> bool:
        """Gives facts that were asked for and never written their fallback (BOTTOM: leave it); whether there was one."""
        found = False
        for key, cell in self._cells.items():
            if cell.value is BOTTOM and not cell.closed and cell.readers:
                cell.closed = True
                cell.value = fallback(key)
                if cell.value is BOTTOM:
                    continue
                self.dirty.update(cell.readers)
                found = True
        return found

    def written(self, kind: str) -> list[tuple[Key, KindInfo]]:
        """All facts of one sort."""
        return [(key, cell.value) for key, cell in self._cells.items() if key[0] == kind and cell.value is not BOTTOM]
