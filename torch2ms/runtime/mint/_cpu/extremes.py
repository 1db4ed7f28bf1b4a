"""Extrema and truth values over dimensions."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, named, twice
from .arithmetic import maximum, minimum
from .common import ValuesIndices, as_float, axis, dims, exactly, filled, has_nan, is_float, pick, product
from .reduction import _reduced_shape, _sum

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "logsumexp", "max", "min"]


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
        return named(ValuesIndices, (input.copy(), filled((), 0, mindspore.int64)))
    d = axis(input, dim)
    if input.shape[d] == 0:
        raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")
    if input.size == 0:
        shape = _reduced_shape(input.shape, (d,), keepdim)
        return named(ValuesIndices, (filled(shape, 0, input.dtype), filled(shape, 0, mindspore.int64)))
    if input.dtype == mindspore.bool_:
        found = _indexed(input.astype(mindspore.int32), d, keepdim, largest)
        return named(ValuesIndices, (found[0].astype(mindspore.bool_), found[1]))
    if compiling() or not has_nan(input):
        values, places = (mint.max if largest else mint.min)(input, d, True)
        values = pick(input, d, places) if twice() else values
        return (
            named(ValuesIndices, (values, places))
            if keepdim
            else named(ValuesIndices, (values.squeeze(d), places.squeeze(d)))
        )
    values = input.asnumpy()
    places = Tensor(np.expand_dims((np.argmax if largest else np.argmin)(values, d), d))
    kept = pick(input, d, places)
    return (
        named(ValuesIndices, (kept, places)) if keepdim else named(ValuesIndices, (kept.squeeze(d), places.squeeze(d)))
    )


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
        return _indexed(ops.stop_gradient(input), dim, keepdim, largest)[1]
    found = _indexed(ops.stop_gradient(input).reshape(-1), 0, False, largest)[1]
    return found.reshape((1,) * input.ndim) if keepdim else found


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the maximum; `dim=None` counts in the flattened tensor."""
    return _place(input, dim, keepdim, True)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the minimum; `dim=None` counts in the flattened tensor."""
    return _place(input, dim, keepdim, False)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials over `dim`."""
    x = as_float(input)
    if x.ndim == 0:
        return x.copy()
    d = dims(x, dim)
    if x.size == 0:
        empty = product([x.shape[a] for a in d]) == 0
        return filled(_reduced_shape(x.shape, d, keepdim), -float("inf") if empty else 0, x.dtype)
    peak = ops.stop_gradient(_extreme(x, d, True, mint.amax))
    # a shift by an infinite maximum would be nan
    peak = mint.where(mint.isinf(peak), filled((), 0, x.dtype), peak)
    total = exactly(lambda x: mint.log(_sum(mint.exp(x), d, True)), x - peak) + peak
    return total if keepdim else total.reshape(_reduced_shape(x.shape, d, False))
