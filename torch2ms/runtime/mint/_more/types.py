"""Limits of dtypes and their promotion."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from ..._default_dtype import default_complex, get_default_dtype

__all__ = ["finfo", "iinfo", "promote_types", "result_type"]

_INTEGERS = {
    mindspore.uint8: np.uint8,
    mindspore.int8: np.int8,
    mindspore.int16: np.int16,
    mindspore.int32: np.int32,
    mindspore.int64: np.int64,
}
_FLOATS = {mindspore.float16: np.float16, mindspore.float32: np.float32, mindspore.float64: np.float64}
_COMPLEX = {mindspore.complex64: np.complex64, mindspore.complex128: np.complex128}


class finfo:
    """The limits of a floating-point type, as Python numbers."""

    def __init__(self, type: Any = None) -> None:
        kind = get_default_dtype() if type is None else type
        if kind == mindspore.bfloat16:
            self.bits, self.eps, self.max = 16, 2.0**-7, (2 - 2.0**-7) * 2.0**127
            self.tiny, self.resolution, self.dtype = 2.0**-126, 0.01, "bfloat16"
        elif kind in _FLOATS:
            limits: Any = np.finfo(_FLOATS[kind])
            self.bits, self.eps, self.max = int(limits.bits), float(limits.eps), float(limits.max)
            self.tiny, self.resolution = float(limits.tiny), float(limits.resolution)
            self.dtype = str(limits.dtype)
        else:
            raise TypeError(f"mint.finfo() takes a floating-point type, not {kind}; use mint.iinfo() for integers")
        self.min, self.smallest_normal = -self.max, self.tiny


class iinfo:
    """The limits of an integer type, as Python numbers."""

    def __init__(self, type: Any) -> None:
        if type not in _INTEGERS:
            raise TypeError(f"mint.iinfo() takes an integer type, not {type}; use mint.finfo() for floats")
        limits: Any = np.iinfo(_INTEGERS[type])
        self.bits, self.min, self.max, self.dtype = (
            int(limits.bits),
            int(limits.min),
            int(limits.max),
            str(limits.dtype),
        )


def _category(kind: Any) -> int:
    if kind == mindspore.bool_:
        return 0
    if kind in _INTEGERS:
        return 1
    return 3 if kind in _COMPLEX else 2


def promote_types(type1: Any, type2: Any) -> Any:
    """Return the smallest type that both promote to."""
    if type1 == type2:
        return type1
    first, second = _category(type1), _category(type2)
    if first != second:
        wider, other = (type1, type2) if first > second else (type2, type1)
        double = wider == mindspore.complex64 and other == mindspore.float64
        return mindspore.complex128 if double else wider
    if mindspore.bfloat16 in (type1, type2):
        other = type2 if type1 == mindspore.bfloat16 else type1
        return mindspore.float64 if other == mindspore.float64 else mindspore.float32
    for table in (_INTEGERS, _FLOATS, _COMPLEX):
        if type1 in table:
            found = np.promote_types(table[type1], table[type2])
            return {np.dtype(v): k for k, v in table.items()}[found]
    return type1


def result_type(tensor1: Any, tensor2: Any) -> Any:
    """Return the type of an operation on both; numbers and 0-d tensors count only for their category."""
    kinds, ranks = [], []
    for value in (tensor1, tensor2):
        if isinstance(value, Tensor):
            kinds.append(value.dtype)
            ranks.append(1 if value.ndim == 0 else 2)
        else:
            by_number = {bool: mindspore.bool_, int: mindspore.int64, float: get_default_dtype()}
            kinds.append(by_number.get(type(value), default_complex()))
            ranks.append(0)
    if ranks[0] == ranks[1] or _category(kinds[0]) == _category(kinds[1]) == 0:
        return promote_types(kinds[0], kinds[1])
    high = 0 if ranks[0] > ranks[1] else 1
    if _category(kinds[high]) >= _category(kinds[1 - high]):
        return kinds[high]
    if ranks[1 - high] == 0:
        if _category(kinds[1 - high]) == 3 and kinds[high] == mindspore.float64:
            return mindspore.complex128
        return kinds[1 - high]
    return promote_types(kinds[0], kinds[1])
