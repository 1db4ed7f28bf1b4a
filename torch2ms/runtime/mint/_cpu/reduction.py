"""Reductions: sums, means, variances, extrema, truth values."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .arithmetic import maximum, minimum
from .common import ValuesIndices, as_float, dims, filled, is_float, long, product, safe_sqrt

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "logsumexp",
    "max",
    "mean",
    "min",
    "nansum",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]


@ops.constexpr(check=False)
def _sum_plan(shape: tuple[int, ...], d: tuple[int, ...]) -> Any:
    """Return the two-dimensional sums ((reshape to, axis), ...) that make up a sum over `d`, and the shape kept."""
    steps, rest = [], list(shape)
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


@ops.constexpr(check=False)
def _without(shape: tuple[int, ...], d: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for i, n in enumerate(shape) if i not in d)


def _sum(x: Tensor, d: tuple[int, ...], keepdim: bool) -> Tensor:
    """Sum over the ascending dimensions `d` by two-dimensional sums, the fast case of the CPU kernel."""
    if x.ndim < 3 and len(d) < 2:
        return mint.sum(x, d, keepdim) if len(d) else x.copy()
    steps, kept = _sum_plan(x.shape, d)
    y = x
    for shape, along in steps:
        y = mint.sum(y.reshape(shape), along)
    return y.reshape(kept if keepdim else _without(x.shape, d))


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum over `dim` (an int, a tuple, None for all); integers and booleans sum to int64."""
    x = input if dtype is None else input.astype(dtype)
    if not is_float(x) or x.size == 0:
        return mint.sum(x, dims(x, dim), keepdim) if x.ndim else mint.sum(x)
    return _sum(x, dims(x, dim), keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean over `dim` (an int, a tuple, None for all)."""
    x = input if dtype is None else input.astype(dtype)
    if not is_float(x):
        if x.dtype == mindspore.complex64 or x.dtype == mindspore.complex128:
            return mint.mean(x, dim, keepdim)
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype.")
    d = dims(x, dim)
    if x.size == 0:
        return mint.mean(x, d, keepdim) if x.ndim else mint.mean(x)
    count = product([x.shape[a] for a in d])
    return _sum(x, d, keepdim) / count if count > 1 else _sum(x, d, keepdim)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum with nan counted as zero."""
    if not is_float(input):
        return sum(input, dim, keepdim, dtype=dtype)
    return sum(mint.where(mint.isnan(input), filled((), 0, input.dtype), input), dim, keepdim, dtype=dtype)


def var_mean(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return variance (divisor: count - correction) and mean over `dim`."""
    d = dims(input, dim)
    count = product([input.shape[a] for a in d])
    if count == 0:
        nan = mint.mean(input, d, keepdim)
        return nan, nan
    kept = mean(input, d, True) if len(d) else input
    centred = input - kept
    squares = _sum(centred * centred, d, keepdim)
    divisor = count - correction
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


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the maximum over `dim`; equal maxima share the gradient."""
    return mint.amax(input, dim, keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the minimum over `dim`; equal minima share the gradient."""
    return mint.amin(input, dim, keepdim)


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the maximum of all, (values, indices) along `dim`, or the larger of two tensors."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if other is not None:
        return maximum(input, other)
    if dim is None:
        return mint.max(input)
    values, positions = mint.max(input, dim, keepdim)
    return ValuesIndices(values, positions)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the minimum of all, (values, indices) along `dim`, or the smaller of two tensors."""
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if other is not None:
        return minimum(input, other)
    if dim is None:
        return mint.min(input)
    values, positions = mint.min(input, dim, keepdim)
    return ValuesIndices(values, positions)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the maximum; `dim=None` counts in the flattened tensor."""
    return long(ops.argmax(_ordered(input), dim, keepdim))


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the minimum; `dim=None` counts in the flattened tensor."""
    if input.ndim == 0:
        return filled((), 0, mindspore.int64)
    return long(ops.argmin(_ordered(input), axis=dim, keepdims=keepdim))


def _ordered(x: Tensor) -> Tensor:
    return x.astype(mindspore.int32) if x.dtype == mindspore.bool_ else x


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements are non-zero."""
    return mint.all(_truth(input), dim, keepdim) if input.ndim else _truth(input).copy()


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether an element is non-zero."""
    x = _truth(input)
    if x.ndim == 0:
        return x.copy()
    return mint.logical_not(mint.all(mint.logical_not(x), None if dim is None else dims(x, dim), keepdim))


def _truth(x: Tensor) -> Tensor:
    return x if x.dtype == mindspore.bool_ else x != 0


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return the number of non-zero elements, int64."""
    nonzero = long(input != 0)
    return mint.sum(nonzero, dims(input, dim)) if input.ndim else nonzero


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials over `dim`."""
    x = as_float(input)
    if x.ndim == 0:
        return x.copy()
    return ops.logsumexp(x, dims(x, dim), keepdim)

