"""Containers of Cells with the interface of torch.nn.Sequential, ModuleList and ModuleDict.

https://docs.pytorch.org/docs/stable/nn.html#containers
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import chain, groupby
from typing import Any

from mindspore import nn as _nn
from mindspore.nn import Cell as _Cell

from .cell import Cell


def _adopt(owner: Cell, key: str, cell: _Cell | None, what: str = "cell") -> None:
    """Register `cell` under `key`; keys may be names of Cell's own attributes, which PyTorch does not know."""
    if cell is not None and not isinstance(cell, _Cell):
        raise TypeError(f"{type(cell).__name__} is not a {what} subclass")
    if not isinstance(key, str):
        raise TypeError(f"module name should be a string. Got {type(key).__name__}")
    if key == "" or "." in key:
        raise KeyError(f"module name can't be empty or contain '.', got: {key!r}")
    owner._cells[key] = cell
    if cell is not None:
        cell.update_parameters_name(key + ".")


def _position(owner: Any, index: Any, upper: int = 0) -> int:
    """Return `index` counted from the front; `upper` is 1 where the end is a valid position."""
    index = operator.index(index)
    size = len(owner)
    if not -size <= index < size + upper:
        raise IndexError(f"index {index} is out of range")
    return index + size if index < 0 else index


def _renumber(owner: Cell, cells: Iterable[_Cell]) -> None:
    owner._cells = OrderedDict((str(i), cell) for i, cell in enumerate(cells))


class SequentialCell(Cell, _nn.SequentialCell):
    """Calls its cells one after the other. Takes cells, or one OrderedDict of names and cells."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, cell in args[0].items():
                _adopt(self, key, cell)
            return
        if len(args) == 1 and isinstance(args[0], list):
            args = tuple(args[0])
        for i, cell in enumerate(args):
            _adopt(self, str(i), cell)

    @property
    def cell_list(self) -> list[_Cell]:
        """The cells in the order of their calls; derived, so that cells added as attributes take part."""
        return list(self._cells.values())

    @cell_list.setter
    def cell_list(self, value: list[_Cell]) -> None:
        """Ignored: MindSpore's base class writes it."""

    def construct(self, input: Any) -> Any:
        for cell in self.cell_list:
            input = cell(input)
        return input

    def _key(self, index: Any) -> str:
        return list(self._cells)[_position(self, index)]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return self._cells[self._key(index)]

    def __setitem__(self, index: int, cell: _Cell) -> None:
        _adopt(self, self._key(index), cell)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._cells)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            del self._cells[key]
        _renumber(self, list(self._cells.values()))

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def __iter__(self) -> Iterator[_Cell]:
        return iter(self._cells.values())

    def __add__(self, other: Any) -> SequentialCell:
        _check_sequential(other)
        return SequentialCell(*self, *other)

    def __iadd__(self, other: Any) -> SequentialCell:
        _check_sequential(other)
        return self.extend(list(other))

    def __mul__(self, times: int) -> SequentialCell:
        return SequentialCell(*(list(self) * _times(times)))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> SequentialCell:
        return self.extend(list(self) * (_times(times) - 1))

    def append(self, cell: _Cell) -> SequentialCell:
        """Add a cell at the end."""
        _adopt(self, str(len(self)), cell)
        return self

    def insert(self, index: int, cell: _Cell) -> SequentialCell:
        """Add a cell before position `index`."""
        if not isinstance(cell, _Cell):
            raise AssertionError(f"module should be of type: {_Cell}")
        cells = list(self)
        cells.insert(_position(self, index, 1), cell)
        _renumber(self, cells)
        return self

    def extend(self, sequential: Iterable[_Cell]) -> SequentialCell:
        """Add several cells at the end."""
        for cell in sequential:
            self.append(cell)
        return self

    def pop(self, index: int) -> _Cell:
        """Remove the cell at `index` and return it."""
        cell = self[index]
        del self[index]
        return cell


def _check_sequential(other: Any) -> None:
    if not isinstance(other, _nn.SequentialCell):
        raise ValueError(f"add operator supports only objects of SequentialCell class, but {type(other)} is given.")


def _times(times: Any) -> int:
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: SequentialCell and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for SequentialCell")
    return times


class CellList(Cell, _nn.CellList):
    """A list of cells."""

    def __init__(self, modules: Iterable[_Cell] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._cells.values())[index])
        return self._cells[str(_position(self, index))]

    def __setitem__(self, index: int, cell: _Cell) -> None:
        _adopt(self, str(_position(self, index)), cell)

    def __delitem__(self, index: Any) -> None:
        positions = range(len(self))[index] if isinstance(index, slice) else [_position(self, index)]
        _renumber(self, [cell for i, cell in enumerate(self) if i not in positions])

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def __iter__(self) -> Iterator[_Cell]:
        return iter(self._cells.values())

    def __add__(self, other: Iterable[_Cell]) -> CellList:
        return CellList(chain(self, other))

    def __iadd__(self, other: Iterable[_Cell]) -> CellList:
        return self.extend(other)

    def __repr__(self) -> str:
        lines = []
        for text, group in groupby(enumerate(map(repr, self)), key=lambda pair: pair[1]):
            positions = [i for i, _ in group]
            last = positions[-1]
            head = f"({last}): " if len(positions) == 1 else f"({positions[0]}-{last}): {len(positions)} x "
            lines.append("  " + (head + text).replace("\n", "\n  "))
        return f"{type(self).__name__}(" + ("\n" + "\n".join(lines) + "\n" if lines else "") + ")"

    def append(self, cell: _Cell) -> CellList:
        """Add a cell at the end."""
        _adopt(self, str(len(self)), cell)
        return self

    def insert(self, index: int, cell: _Cell) -> None:
        """Add a cell before position `index`."""
        cells = list(self)
        cells.insert(index, cell)
        _renumber(self, cells)

    def extend(self, cells: Iterable[_Cell]) -> CellList:
        """Add several cells at the end."""
        if not isinstance(cells, Iterable):
            raise TypeError(f"CellList.extend should be called with an iterable, but got {type(cells).__name__}")
        for cell in list(cells):
            self.append(cell)
        return self

    def pop(self, index: Any) -> Any:
        """Remove the cell at `index` and return it."""
        cell = self[index]
        del self[index]
        return cell


class CellDict(Cell, _nn.CellDict):
    """A dictionary of cells."""

    def __init__(self, modules: Mapping[str, _Cell] | Iterable[tuple[str, _Cell]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._cells[key]

    def __setitem__(self, key: str, cell: _Cell) -> None:
        _adopt(self, key, cell)

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Remove all cells."""
        self._cells.clear()

    def pop(self, key: str) -> _Cell:
        """Remove the cell under `key` and return it."""
        return self._cells.pop(key)

    def keys(self) -> KeysView[str]:
        """The keys."""
        return self._cells.keys()

    def items(self) -> ItemsView[str, _Cell]:
        """The keys and cells."""
        return self._cells.items()

    def values(self) -> ValuesView[_Cell]:
        """The cells."""
        return self._cells.values()

    def update(self, modules: Mapping[str, _Cell] | Iterable[tuple[str, _Cell]]) -> None:
        """Add or replace cells from a mapping or from pairs."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"CellDict.update should be called with an iterable, but got {type(modules).__name__}")
        pairs = modules.items() if isinstance(modules, (Mapping, _nn.CellDict)) else modules
        for key, cell in pairs:
            self[key] = cell


# programs tell modules apart by `type(m).__name__`, and compare it with PyTorch's names
for _kind, _theirs in ((SequentialCell, "Sequential"), (CellList, "ModuleList"), (CellDict, "ModuleDict")):
    _kind.__name__ = _theirs
