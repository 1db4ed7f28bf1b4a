"""numpy arrays and scalars inside a checkpoint, rebuilt from their bytes alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._errors import Budget, DamagedCheckpoint, UnsafeCheckpoint

_KINDS = "biufcSUmM"


class Draft:
    """An array or a type whose state comes next in the file."""

    def __init__(self, kind: np.dtype | None = None) -> None:
        self.kind = kind

    def with_state(self, state: Any, budget: Budget) -> Any:
        """Return the array, or the type with its byte order."""
        if self.kind is not None:
            order = state[1]
            return Draft(self.kind.newbyteorder(order)) if order in ("<", ">", "=") else self
        _, shape, draft_type, fortran, raw = state
        return _array(raw, _type(draft_type), shape, bool(fortran), budget)


def _type(value: Any) -> np.dtype:
    if not isinstance(value, Draft) or value.kind is None:
        raise DamagedCheckpoint("an array of the checkpoint has no type")
    return value.kind


def _array(raw: Any, kind: np.dtype, shape: Any, fortran: bool, budget: Budget) -> np.ndarray:
    if isinstance(raw, str):
        raw = raw.encode("latin-1")
    if not isinstance(raw, (bytes, bytearray)):
        raise UnsafeCheckpoint("an array of Python objects is not allowed in a checkpoint")
    if any(type(count) is not int or count < 0 for count in shape) or math.prod(shape) * kind.itemsize != len(raw):
        raise DamagedCheckpoint(f"an array of shape {tuple(shape)} does not fit its {len(raw)} bytes")
    budget.charge(len(raw) + 112)
    return np.frombuffer(bytearray(raw), kind).reshape(shape, order="F" if fortran else "C")


def draft(*_arguments: Any, budget: Budget) -> Draft:
    """Stand for `numpy.core.multiarray._reconstruct`."""
    budget.charge(64)
    return Draft()


def dtype(name: Any, *_flags: Any, budget: Budget) -> Draft:
    """Stand for `numpy.dtype`: a name such as "f8"; structures and objects are refused."""
    kind = np.dtype(str(name)) if isinstance(name, (str, bytes)) else None
    if kind is None or kind.kind not in _KINDS or kind.names is not None or kind.subdtype is not None:
        raise UnsafeCheckpoint(f"the numpy type {name!r} is not allowed in a checkpoint")
    # a type such as "U1000000000" would make every element as large
    budget.charge(64 + kind.itemsize)
    return Draft(kind)


def scalar(kind: Any, raw: Any = b"", *, budget: Budget) -> Any:
    """Stand for `numpy.core.multiarray.scalar`."""
    return _array(raw, _type(kind), (1,), False, budget)[0]


def from_buffer(raw: Any, kind: Any, shape: Any, order: Any = "C", *, budget: Budget) -> np.ndarray:
    """Stand for `numpy.core.numeric._frombuffer`."""
    return _array(raw, _type(kind), shape, order == "F", budget)
