"""Norms of vectors."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor, mint, ops

from .._trace import twice
from .common import as_float, dims, filled, number_like, safe_sqrt
from .extremes import amax, amin
from .reduction import _sum

__all__ = ["vector_norm"]


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the norm of the vectors along `dim` (all elements when None); the gradient at 0 is 0."""
    x = as_float(x) if dtype is None else x.astype(dtype)
    d = dims(x, dim)
    if ord == 2:
        return safe_sqrt(_sum(x * x, d, keepdim))
    magnitude = mint.abs(x)
    if ord == 1:
        return _sum(magnitude, d, keepdim)
    if ord == 0:
        return _sum((x != 0).astype(x.dtype), d, keepdim)
    if ord == math.inf:
        return amax(magnitude, d, keepdim) if len(d) else magnitude
    if ord == -math.inf:
        return amin(magnitude, d, keepdim) if len(d) else magnitude
    # the gradient of a power at 0 is nan or infinite for exponents below one
    zero = magnitude == 0
    powers = mint.where(
        zero,
        filled((), 0.0 if ord > 0 else math.inf, x.dtype),
        _power(mint.where(zero, ops.ones_like(x), magnitude), ord),
    )
    total = _sum(powers, d, keepdim)
    nothing = mint.logical_or(total == 0, mint.isinf(total))
    root = _power(mint.where(nothing, ops.ones_like(total), total), 1.0 / ord)
    return mint.where(nothing, filled((), 0, x.dtype), root)


def _power(x: Tensor, exponent: float) -> Tensor:
    # the power with a Python number has no second derivative
    return mint.pow(x, filled((), exponent, x.dtype) if twice() else number_like(exponent, x))
