"""Reductions: sums, means, variances, extrema, truth values."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .arithmetic import maximum, minimum
from .common import (
    COMPLEX,
    ValuesIndices,
    as_float,
    axis,
    dims,
    filled,
    has_nan,
    is_float,
    long,
    pick,
    product,
    safe_sqrt,
)

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
    "prod",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
]


@ops.constexpr(check=False)
def _sum_plan(shape: tuple[int, ...], d: tuple[int, ...]) -> Any:
    """Return the two-dimensional sums ((reshape to, axis), ...) that make up a sum over `d`, and the shape kept."""
    if len(d) == len(shape) and shape[0] > 1:
        return (((shape[0], product(shape[1:])), 1), ((shape[0],), 0)), (1,) * len(shape)
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


def _sum(x: Tensor, d: tuple[int, ...], keepdim: bool) -> Tensor:
    """Sum over the ascending dimensions `d` by two-dimensional sums, the fast case of the CPU kernel."""
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
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype.")
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
    x, d = (x.reshape(-1), 0) if dim is None else (x, axis(x, dim))
    while x.ndim and x.shape[d] > 1:
        half = x.shape[d] // 2
        product_ = mint.narrow(x, d, 0, half) * mint.narrow(x, d, half, half)
        odd = x.shape[d] - 2 * half
        x = mint.cat((product_, mint.narrow(x, d, 2 * half, 1)), d) if odd else product_
    if dim is None:
        return x.reshape((1,) * input.ndim if keepdim else ())
    return x if keepdim or x.ndim == 0 else x.squeeze(d)


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


def _extreme(input: Tensor, d: tuple[int, ...], keepdim: bool, kernel: Any) -> Tensor:
    """Reduce by `kernel`; nan wins where there is one."""
    if input.dtype == mindspore.bool_:
        whole = any if kernel is mint.amax else all
        return whole(input, d, keepdim) if len(d) else input.copy()
    if product([input.shape[a] for a in d]) == 0:
        raise IndexError("the reduced dimensions must have non-zero size")
    if input.size == 0:
        return filled(_reduced_shape(input.shape, d, keepdim), 0, input.dtype)
    found = kernel(input, d, keepdim) if len(d) else input.copy()
    if compiling() or not has_nan(input):
        return found
    nan = any(mint.isnan(input), d, keepdim)
    return mint.where(nan, filled((), float("nan"), input.dtype), found)


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the maximum over `dim`; equal maxima share the gradient."""
    return _extreme(input, dims(input, dim), keepdim, mint.amax)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the minimum over `dim`; equal minima share the gradient."""
    return _extreme(input, dims(input, dim), keepdim, mint.amin)


def _indexed(input: Tensor, dim: int, keepdim: bool, largest: bool) -> ValuesIndices:
    """Return (values, indices) of the extreme along `dim`; the first nan wins where there is one."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), filled((), 0, mindspore.int64))
    d = axis(input, dim)
    if input.shape[d] == 0:
        raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")
    if input.size == 0:
        shape = _reduced_shape(input.shape, (d,), keepdim)
        return ValuesIndices(filled(shape, 0, input.dtype), filled(shape, 0, mindspore.int64))
    if input.dtype == mindspore.bool_:
        found = _indexed(input.astype(mindspore.int32), d, keepdim, largest)
        return ValuesIndices(found.values.astype(mindspore.bool_), found.indices)
    if compiling() or not has_nan(input):
        values, places = (mint.max if largest else mint.min)(input, d, True)
        values = pick(input, d, places) if twice() else values
        return ValuesIndices(values, places) if keepdim else ValuesIndices(values.squeeze(d), places.squeeze(d))
    values = input.asnumpy()
    places = Tensor(np.expand_dims((np.argmax if largest else np.argmin)(values, d), d))
    kept = pick(input, d, places)
    return ValuesIndices(kept, places) if keepdim else ValuesIndices(kept.squeeze(d), places.squeeze(d))


def _whole(input: Tensor, largest: bool) -> Tensor:
    """Return the extreme of all elements."""
    if input.dtype == mindspore.bool_:
        return any(input) if largest else all(input)
    if input.size == 0:
        raise RuntimeError("the extreme of an empty tensor needs a dimension")
    if not is_float(input):
        return mint.max(input) if largest else mint.min(input)
    return amax(input) if largest else amin(input)


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the maximum of all, (values, indices) along `dim`, or the larger of two tensors."""
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    if other is not None:
        return maximum(input, other)
    return _whole(input, True) if dim is None else _indexed(input, dim, keepdim, True)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the minimum of all, (values, indices) along `dim`, or the smaller of two tensors."""
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    if other is not None:
        return minimum(input, other)
    return _whole(input, False) if dim is None else _indexed(input, dim, keepdim, False)


def _place(input: Tensor, dim: int | None, keepdim: bool, largest: bool) -> Tensor:
    if dim is not None:
        return _indexed(ops.stop_gradient(input), dim, keepdim, largest).indices
    found = _indexed(ops.stop_gradient(input).reshape(-1), 0, False, largest).indices
    return found.reshape((1,) * input.ndim) if keepdim else found


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the maximum; `dim=None` counts in the flattened tensor."""
    return _place(input, dim, keepdim, True)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the minimum; `dim=None` counts in the flattened tensor."""
    return _place(input, dim, keepdim, False)


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
    d = dims(x, dim)
    peak = ops.stop_gradient(_extreme(x, d, True, mint.amax))
    # a shift by an infinite maximum would be nan
    peak = mint.where(mint.isinf(peak), filled((), 0, x.dtype), peak)
    total = mint.log(_sum(mint.exp(x - peak), d, True)) + peak
    return total if keepdim else total.reshape(_reduced_shape(x.shape, d, False))

