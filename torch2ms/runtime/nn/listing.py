"""What a Cell consists of, listed as PyTorch lists it; every function also takes bare MindSpore layers.

mint's BatchNorm registers its running statistics as Parameters. PyTorch calls them buffers, and so does this module:
`parameters` leaves them out and `buffers` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from mindspore import Parameter, Tensor
from mindspore.nn import Cell as _Cell

from .._backend import statistics_names

_names: WeakKeyDictionary[type, Mapping[str, str]] = WeakKeyDictionary()


def checkpoint_names(kind: type[_Cell]) -> Mapping[str, str]:
    """Return attribute -> name in listings and checkpoints, for the attributes of a class whose name `Cell` needs.

    A class states its own in `checkpoint_names = {"cells_": "cells"}`; those of its bases hold as well.
    """
    if kind not in _names:
        found: dict[str, str] = {}
        for base in reversed(kind.__mro__):
            found.update(vars(base).get("checkpoint_names", {}))
        _names[kind] = found
    return _names[kind]


def key_of(cell: _Cell, attribute: str) -> str:
    """Return the name that listings and checkpoints have for an attribute of the cell."""
    return checkpoint_names(type(cell)).get(attribute, attribute)


def attribute_of(cell: _Cell, key: str) -> str:
    """Return the attribute of the cell that listings and checkpoints call `key`."""
    names = checkpoint_names(type(cell))
    return next((attribute for attribute, name in names.items() if name == key), key) if names else key


def named_children(cell: _Cell) -> Iterator[tuple[str, _Cell]]:
    """Yield (name, child) of the direct sub-cells; a shared child once."""
    seen: set[int] = set()
    for name, child in cell._cells.items():
        if child is not None and id(child) not in seen:
            seen.add(id(child))
            yield key_of(cell, name), child


def children(cell: _Cell) -> Iterator[_Cell]:
    """Yield the direct sub-cells; a shared child once."""
    for _, child in named_children(cell):
        yield child


def named_modules(
    cell: _Cell, memo: set[_Cell] | None = None, prefix: str = "", remove_duplicate: bool = True
) -> Iterator[tuple[str, _Cell]]:
    """Yield (path, cell) of the cell itself (path `prefix`) and of everything below it."""
    memo = set() if memo is None else memo
    if cell in memo:
        return
    if remove_duplicate:
        memo.add(cell)
    yield prefix, cell
    for name, child in cell._cells.items():
        if child is not None:
            key = key_of(cell, name)
            yield from named_modules(child, memo, f"{prefix}.{key}" if prefix else key, remove_duplicate)


def modules(cell: _Cell, remove_duplicate: bool = True) -> Iterator[_Cell]:
    """Yield the cell itself and everything below it."""
    for _, module in named_modules(cell, remove_duplicate=remove_duplicate):
        yield module


def own_parameters(cell: _Cell) -> Iterator[tuple[str, Parameter]]:
    """Yield (name, parameter) of the parameters that the cell itself holds."""
    if hasattr(type(cell), "check_listing"):
        cell.check_listing()
    statistics = statistics_names(cell)
    for name, value in cell._params.items():
        if value is not None and name not in statistics:
            # a lazily initialised Parameter is replaced by the one that holds its data
            yield key_of(cell, name), value if value.inited_param is None else value.inited_param


def own_buffers(cell: _Cell) -> Iterator[tuple[str, Tensor]]:
    """Yield (name, buffer) of the buffers that the cell itself holds, running statistics included."""
    for name in statistics_names(cell):
        if cell._params.get(name) is not None:
            yield name, cell._params[name]
    for name, value in cell._buffers.items():
        if value is not None:
            yield key_of(cell, name), value


def _named(own: Any, cell: _Cell, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
    seen: set[int] = set()
    owners = named_modules(cell, prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, cell)]
    for path, owner in owners:
        for name, value in own(owner):
            if id(value) in seen:
                continue
            if remove_duplicate:
                seen.add(id(value))
            yield f"{path}.{name}" if path else name, value


def named_parameters(
    cell: _Cell, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Parameter]]:
    """Yield (path, parameter) in PyTorch's order; a tied parameter once, under its first path."""
    return _named(own_parameters, cell, prefix, recurse, remove_duplicate)


def parameters(cell: _Cell, recurse: bool = True) -> Iterator[Parameter]:
    """Yield the parameters in PyTorch's order; a tied parameter once."""
    for _, value in named_parameters(cell, recurse=recurse):
        yield value


def named_buffers(
    cell: _Cell, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
) -> Iterator[tuple[str, Tensor]]:
    """Yield (path, buffer), running statistics included."""
    return _named(own_buffers, cell, prefix, recurse, remove_duplicate)


def buffers(cell: _Cell, recurse: bool = True) -> Iterator[Tensor]:
    """Yield the buffers, running statistics included."""
    for _, value in named_buffers(cell, recurse=recurse):
        yield value


def get_submodule(cell: _Cell, target: str) -> _Cell:
    """Return the sub-cell with the dotted path `target`; the cell itself for ''.

    Raises:
        AttributeError: a part of the path is missing or is no Cell.
    """
    for part in target.split(".") if target else ():
        attribute = attribute_of(cell, part)
        if not hasattr(cell, attribute):
            raise AttributeError(f"{type(cell).__name__} has no attribute `{part}`")
        cell = getattr(cell, attribute)
        if not isinstance(cell, _Cell):
            raise AttributeError(f"`{part}` is not an nn.Cell")
    return cell


def _get_member(cell: _Cell, target: str, own: Any, what: str) -> Any:
    path, _, name = target.rpartition(".")
    owner = get_submodule(cell, path)
    if not hasattr(owner, attribute_of(owner, name)):
        raise AttributeError(f"{type(owner).__name__} has no attribute `{name}`")
    members = dict(own(owner))
    if name not in members:
        raise AttributeError(f"`{name}` is not {what}")
    return members[name]


def get_parameter(cell: _Cell, target: str) -> Parameter:
    """Return the parameter with the dotted path `target`, else raise AttributeError."""
    return _get_member(cell, target, own_parameters, "an nn.Parameter")


def get_buffer(cell: _Cell, target: str) -> Tensor:
    """Return the buffer with the dotted path `target`, else raise AttributeError."""
    return _get_member(cell, target, own_buffers, "a buffer")
