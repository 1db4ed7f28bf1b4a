"""Containers of Parameters with the interface of torch.nn.ParameterList and ParameterDict.

https://docs.pytorch.org/docs/stable/generated/torch.nn.ParameterList.html
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from mindspore import Parameter, Tensor

from .cell import Cell


def _describe(value: Any) -> str:
    if isinstance(value, Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{kind} containing: [{str(value.dtype).lower()} of size {'x'.join(map(str, value.shape))}]"
    return f"Object of type: {type(value).__name__}"


class _Holder(Cell):
    """Keeps values under string keys: Parameters registered, Tensors as Parameters, anything else as it is."""

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "_others", {})

    def _put(self, key: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value, name=key)
        # a key that stays in its registry keeps its place
        (self._others if isinstance(value, Parameter) else self._params).pop(key, None)
        if isinstance(value, Parameter):
            # not through setattr: a key may be the name of one of Cell's attributes
            if value.name.startswith("Parameter"):
                value.name = key
            self._params[key] = value
        else:
            self._others[key] = value

    def _get(self, key: str) -> Any:
        return self._params[key] if key in self._params else self._others[key]

    def _take(self, key: str, default: Any) -> Any:
        if key in self._params:
            return self._params.pop(key)
        return self._others.pop(key, default)

    def _lines(self, keys: Iterable[str]) -> str:
        return "\n".join(f"({key}): {_describe(self._get(key))}" for key in keys)


class ParameterList(_Holder):
    """A list of Parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        object.__setattr__(self, "_size", 0)
        if values is not None:
            self.extend(values)

    def _position(self, index: Any) -> int:
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return index + len(self) if index < 0 else index

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(self._get(str(i)) for i in range(len(self))[index])
        return self._get(str(self._position(index)))

    def __setitem__(self, index: int, value: Any) -> None:
        self._put(str(self._position(index)), value)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self._get(str(i)) for i in range(len(self))])

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end."""
        self._put(str(len(self)), value)
        object.__setattr__(self, "_size", self._size + 1)
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extend_repr(self) -> str:
        return self._lines(str(i) for i in range(len(self)))


class ParameterDict(_Holder):
    """A dictionary of Parameters, in the order of insertion."""

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        object.__setattr__(self, "_order", {})
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._order:
            # the error that PyTorch raises
            raise AttributeError(f"'ParameterDict' object has no attribute {key!r}")
        return self._get(key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string: {key!r}")
        self._put(key, value)
        self._order[key] = None

    def __delitem__(self, key: str) -> None:
        del self._order[key]
        self._take(key, None)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._order))

    def __contains__(self, key: object) -> bool:
        return key in self._order

    def __or__(self, other: ParameterDict) -> ParameterDict:
        return ParameterDict(chain(self.items(), other.items()))

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new ParameterDict with `default` under each key."""
        return ParameterDict((key, default) for key in keys)

    def copy(self) -> ParameterDict:
        """Return a new ParameterDict of the same Parameters."""
        return ParameterDict(self.items())

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value under `key`, or `default`."""
        return self[key] if key in self else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value under `key`; where there is none, store `default` first."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all values."""
        for key in list(self._order):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove the value under `key` and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove and return the last (key, value)."""
        key = next(reversed(self))
        return key, self.pop(key)

    def keys(self) -> Any:
        """The keys."""
        return self._order.keys()

    def values(self) -> list[Any]:
        """The values."""
        return [self._get(key) for key in self._order]

    def items(self) -> list[tuple[str, Any]]:
        """The keys and values."""
        return [(key, self._get(key)) for key in self._order]

    def update(self, parameters: Any) -> None:
        """Add or replace values from a mapping or from pairs; the keys of a plain dict are sorted as in PyTorch."""
        if not isinstance(parameters, Iterable):
            raise TypeError(f"ParametersDict.update should be called with an iterable, got {type(parameters).__name__}")
        for key, value in _pairs(parameters):
            self[key] = value

    def extend_repr(self) -> str:
        return self._lines(self._order)


def _pairs(parameters: Any) -> list[tuple[str, Any]]:
    if isinstance(parameters, ParameterDict):
        return parameters.items()
    if isinstance(parameters, Mapping):
        ordered = list(parameters.items())
        return ordered if hasattr(parameters, "move_to_end") else sorted(ordered)
    pairs = [tuple(pair) for pair in parameters]
    for i, pair in enumerate(pairs):
        if len(pair) != 2:
            raise ValueError(f"ParameterDict update sequence element #{i} has length {len(pair)}; 2 is required")
    return pairs
