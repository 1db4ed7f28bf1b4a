"""Running sums and products."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .common import COMPLEX, FLOATS, long

__all__ = ["cumprod", "cumsum"]


def cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the running sum along `dim`; integers sum to int64."""
    x = _accumulated(input, dtype)
    return ops.cumsum(x, dim) if x.ndim and x.size else x.copy()


def cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the running product along `dim`; integers multiply to int64."""
    x = _accumulated(input, dtype)
    if x.ndim == 0 or x.size == 0:
        return x.copy()
    if x.dtype not in FLOATS or not (compiling() or twice() or _has_zero(x)):
        return mint.cumprod(x, dim)
    # MindSpore's gradient divides by the elements
    running = [mint.narrow(x, dim, 0, 1)]
    for i in range(1, x.shape[dim]):
        running.append(running[-1] * mint.narrow(x, dim, i, 1))
    return mint.cat(running, dim)


def _accumulated(x: Tensor, dtype: Any) -> Tensor:
    if dtype is None:
        return x if x.dtype in FLOATS or x.dtype in COMPLEX else long(x)
    return x.astype(dtype)


def _has_zero(x: Tensor) -> bool:
    return bool((x.asnumpy() == 0).any())
