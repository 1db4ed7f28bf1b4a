"""Operands of arithmetic as PyTorch's promotion has them, numbers with all of their digits."""

from __future__ import annotations

import functools
import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import _default_dtype

_FLOATS = (mindspore.float32, mindspore.float64, mindspore.float16, mindspore.bfloat16)
_COMPLEX = (mindspore.complex64, mindspore.complex128)
_LARGEST = float(np.finfo(np.float32).max)
_WIDE = (mindspore.float64, mindspore.complex128)


def is_whole(x: Any) -> bool:
    """Return whether `x` is a tensor of integers or booleans."""
    return isinstance(x, Tensor) and x.dtype not in _FLOATS and x.dtype not in _COMPLEX


def floating(x: Any) -> Any:
    """Return a tensor of integers in the default type, anything else unchanged."""
    return x.astype(_default_dtype.get_default_dtype()) if is_whole(x) else x


def number(value: Any, dtype: Any) -> Any:
    """Return a number beside a tensor of `dtype`: as a tensor where MindSpore would round it to float32."""
    if dtype not in _WIDE or isinstance(value, (bool, int)) or not isinstance(value, (float, complex)):
        return value
    if isinstance(value, complex) or dtype == mindspore.complex128:
        return _constant(complex(value), mindspore.complex128)
    return value if _is_single(value) else _constant(float(value), mindspore.float64)


def _is_single(value: float) -> bool:
    """Return whether float32 holds the number as it is."""
    if not math.isfinite(value):
        return True
    return abs(value) <= _LARGEST and float(np.float32(value)) == value


@functools.lru_cache(maxsize=4096)
def _constant(value: Any, dtype: Any) -> Tensor:
    return Tensor(value, dtype)


def pair(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two operands, of which one is a tensor, as PyTorch promotes them."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return (a, b) if a.dtype == b.dtype else _alike(*_ranked(a, b))
    if isinstance(a, Tensor):
        return _beside(a, b)
    b, a = _beside(b, a)
    return a, b


def _ranked(a: Tensor, b: Tensor) -> tuple[Any, Any]:
    """A tensor of one number takes the type of one with dimensions, of the same kind."""
    if bool(a.ndim) == bool(b.ndim) or a.dtype not in _FLOATS or b.dtype not in _FLOATS:
        return a, b
    return (a, b.astype(a.dtype)) if a.ndim else (a.astype(b.dtype), b)


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Real numbers beside complex ones of float64 become complex: the kernels take no other."""
    if mindspore.complex128 in (a.dtype, b.dtype):
        return a.astype(mindspore.complex128), b.astype(mindspore.complex128)
    return a, b


def _beside(x: Any, value: Any) -> tuple[Any, Any]:
    if not isinstance(x, Tensor) or isinstance(value, (bool, int)) or not isinstance(value, (float, complex)):
        return x, value
    if is_whole(x):
        x = x.astype(_default_dtype.get_default_dtype())
    if isinstance(value, complex):
        value = _constant(value, mindspore.complex128 if x.dtype in _WIDE else mindspore.complex64)
        return x.astype(value.dtype), value
    value = number(value, x.dtype)
    return _alike(x, value) if isinstance(value, Tensor) else (x, value)


def divisor(a: Any, b: Any) -> Any:
    """Return the divisor of `a` as a tensor where it is a number: the gradient has 1 / b in float32."""
    if isinstance(b, Tensor) or isinstance(b, bool) or not isinstance(b, (int, float)) or a.dtype != mindspore.float64:
        return b
    return _constant(float(b), mindspore.float64)
