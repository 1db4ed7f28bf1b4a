"""Sums, products, means, variances."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .._trace import twice
from .common import COMPLEX, axis, dims, filled, is_float, long, product, safe_sqrt

__all__ = ["count_nonzero", "mean", "nansum", "prod", "std", "std_mean", "sum", "var", "var_mean"]


@ops.constexpr(check=False)
def _sum_plan(shape: tuple[int, ...], d: tuple[int, ...]) -> Any:
    """Return the two-dimensional sums ((reshape to, axis), ...) that make up a sum over `d`, and the shape kept."""
    if len(d) == len(shape) and shape[0] > 1:
        return (((shape[0], product(shape[1:])), 1), ((shape[0],), 0)), (1,) * len(shape)
    steps: list[Any] = []
    rest = list(shape)
    while d:
        end = d[-1] + 1
        first = end - 1
        while first - 1 in d:
            first -= 1
        d = tuple(a for a in d if a < first)
        before, block, after = product(rest[:first]), product(rest[first:end]), product(rest[end:])
        if after == 1:
            steps.append(((before, block), 1))
        elif before == 1:
            steps.append(((block, after), 0))
        else:
            steps.append(((before, block, after), 1))
        rest[first:end] = [1] * (end - first)
    return tuple(steps), tuple(rest)


def _sum(x: Tensor, d: tuple[int, ...], keepdim: bool) -> Tensor:
    """Sum over the ascending dimensions `d` by two-dimensional sums, the fast case of the CPU kernel."""
    if x.size == 0:
        # the kernel returns memory as it is
        return filled(_reduced_shape(x.shape, d, keepdim), 0, x.dtype)
    if len(d) == 0:
        return x * 1
    if twice():
        # the second derivative of a sum is right where its dimensions are kept
        kept = mint.sum(x, d, True)
        return kept if keepdim else kept.reshape(_reduced_shape(x.shape, d, False))
    if x.ndim < 3 and len(d) < 2:
        return mint.sum(x, d, keepdim)
    steps, kept = _sum_plan(x.shape, d)
    y = x
    for shape, along in steps:
        y = mint.sum(y.reshape(shape), along)
    return y.reshape(kept if keepdim else _reduced_shape(x.shape, d, False))


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum over `dim` (an int, a tuple, None for all); integers and booleans sum to int64."""
    x = input if dtype is None else input.astype(dtype)
    d = dims(x, dim)
    if x.size == 0:
        integral = dtype is None and not is_float(x) and x.dtype not in COMPLEX
        return filled(_reduced_shape(x.shape, d, keepdim), 0, mindspore.int64 if integral else x.dtype)
    if not is_float(x):
        return mint.sum(x, d, keepdim) if x.ndim else mint.sum(x)
    return _sum(x, d, keepdim)


@ops.constexpr(check=False)
def _reduced_shape(shape: tuple[int, ...], d: tuple[int, ...], keepdim: bool) -> tuple[int, ...]:
    if keepdim:
        return tuple(1 if i in d else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in d)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean over `dim` (an int, a tuple, None for all)."""
    x = input if dtype is None else input.astype(dtype)
    if not is_float(x):
        if x.dtype == mindspore.complex64 or x.dtype == mindspore.complex128:
            return mint.mean(x, dim, keepdim)
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype."
        )
    d = dims(x, dim)
    count = product([x.shape[a] for a in d])
    if x.size == 0:
        return filled(_reduced_shape(x.shape, d, keepdim), 0 if count else float("nan"), x.dtype)
    return _sum(x, d, keepdim) / count if count > 1 else _sum(x, d, keepdim)


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the product over `dim` (None for all); integers and booleans multiply to int64."""
    if input.size == 0:
        d = dims(input, dim)
        integral = dtype is None and not is_float(input) and input.dtype not in COMPLEX
        kind = mindspore.int64 if integral else input.dtype if dtype is None else dtype
        return filled(_reduced_shape(input.shape, d, keepdim), 1, kind)
    if not twice() or not is_float(input):
        return mint.prod(input, dim, keepdim, dtype=dtype)
    # halves are multiplied until one slice is left: the kernel's gradient has none itself
    x = input if dtype is None else input.astype(dtype)
    x, along = (x.reshape(-1), 0) if dim is None else (x, axis(x, dim))
    while x.ndim and x.shape[along] > 1:
        half = x.shape[along] // 2
        pairs = mint.narrow(x, along, 0, half) * mint.narrow(x, along, half, half)
        odd = x.shape[along] - 2 * half
        x = mint.cat((pairs, mint.narrow(x, along, 2 * half, 1)), along) if odd else pairs
    if dim is None:
        return x.reshape((1,) * input.ndim if keepdim else ())
    return x if keepdim or x.ndim == 0 else x.squeeze(along)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum with nan counted as zero."""
    if not is_float(input):
        return sum(input, dim, keepdim, dtype=dtype)
    return sum(mint.where(mint.isnan(input), filled((), 0, input.dtype), input), dim, keepdim, dtype=dtype)


def var_mean(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return variance (divisor: count - correction) and mean over `dim`."""
    if isinstance(dim, bool):
        raise TypeError("mint takes correction=, not the boolean `unbiased`")
    d = dims(input, dim)
    count = product([input.shape[a] for a in d])
    if input.size == 0:
        nan = filled(_reduced_shape(input.shape, d, keepdim), 0 if count else float("nan"), input.dtype)
        return nan, nan
    kept = mean(input, d, True) if len(d) else input
    centred = input - kept
    squares = _sum(centred * centred, d, keepdim)
    divisor = count - (1 if correction is None else correction)
    if divisor > 0:
        variance = squares / divisor
    else:
        variance = squares * float("inf") if count > 1 else squares * float("nan")
    return variance, (kept if keepdim else kept.reshape(variance.shape))


def var(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    """Return the variance (divisor: count - correction) over `dim`."""
    return var_mean(input, dim, correction=correction, keepdim=keepdim)[0]


def std(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Tensor:
    """Return the standard deviation over `dim`; its gradient at 0 is 0."""
    return safe_sqrt(var(input, dim, correction=correction, keepdim=keepdim))


def std_mean(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean over `dim`."""
    variance, average = var_mean(input, dim, correction=correction, keepdim=keepdim)
    return safe_sqrt(variance), average


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return the number of non-zero elements, int64."""
    nonzero = long(input != 0)
    return mint.sum(nonzero, dims(input, dim)) if input.ndim else nonzero
