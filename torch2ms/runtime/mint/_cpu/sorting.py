"""Order, ranks, running extrema and sums, sets, counts."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .common import FLOATS, ValuesIndices, axis, filled, has_nan, long, pick

__all__ = [
    "argsort",
    "bincount",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "histc",
    "kthvalue",
    "median",
    "searchsorted",
    "sort",
    "topk",
    "unique",
    "unique_consecutive",
]


def _first() -> Tensor:
    return filled((), 0, mindspore.int64)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the order (int64) that sorts along `dim`."""
    return sort(input, dim=dim, descending=descending, stable=stable).indices


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesIndices:
    """Return (values, indices) sorted along `dim`; equal elements keep their order."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    if input.size == 0:
        return ValuesIndices(input.copy(), filled(input.shape, 0, mindspore.int64))
    if not compiling():
        places = _stable_order(input, axis(input, dim), descending)
        return ValuesIndices(pick(input, axis(input, dim), places), places)
    if input.dtype == mindspore.bool_:
        values, order = ops.sort(input.astype(mindspore.int32), axis=dim, descending=descending)
        return ValuesIndices(values.astype(mindspore.bool_), long(order))
    values, order = ops.sort(input, axis=dim, descending=descending)
    return ValuesIndices(values, long(order))


def _stable_order(x: Tensor, d: int, descending: bool) -> Tensor:
    """Return the order in which equal elements keep their places and nan is the greatest; MindSpore's is not stable."""
    values = ops.stop_gradient(x).asnumpy()
    if not descending:
        return Tensor(np.argsort(values, axis=d, kind="stable"))
    # sorted backwards, equal elements would come out in reverse
    backwards = np.flip(values, d)
    order = np.flip(np.argsort(backwards, axis=d, kind="stable"), d)
    return Tensor(np.ascontiguousarray(values.shape[d] - 1 - order))


def _paired(input: Tensor, dim: int, values: Tensor, order: Tensor) -> ValuesIndices:
    return ValuesIndices(pick(input, axis(input, dim), order) if twice() else values, order)


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesIndices:
    """Return (values, indices) of the `k` largest (smallest) elements along `dim`."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    if not compiling() and has_nan(input):
        whole = sort(input, dim=dim, descending=largest)
        return ValuesIndices(mint.narrow(whole.values, dim, 0, k), mint.narrow(whole.indices, dim, 0, k))
    if input.dtype not in FLOATS or k == 0:
        whole = sort(input, dim=dim, descending=largest)
        return ValuesIndices(mint.narrow(whole.values, dim, 0, k), mint.narrow(whole.indices, dim, 0, k))
    values, order = ops.topk(input, k, dim, largest, sorted)
    return _paired(input, dim, values, long(order))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """Return (value, index) of the `k`-th smallest element along `dim`."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    ordered = sort(input, dim=dim)
    value = mint.narrow(ordered.values, dim, k - 1, 1)
    index = mint.narrow(ordered.indices, dim, k - 1, 1)
    if keepdim:
        return ValuesIndices(value, index)
    return ValuesIndices(value.squeeze(dim), index.squeeze(dim))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the lower median of all elements, or (values, indices) along `dim`."""
    if dim is None:
        flat = input.reshape(-1)
        return kthvalue(flat, (flat.shape[0] + 1) // 2, 0).values
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    return kthvalue(input, (input.shape[dim] + 1) // 2, dim, keepdim)


def _running(input: Tensor, dim: int, found: Any) -> ValuesIndices:
    order = long(found)
    return ValuesIndices(pick(input, axis(input, dim), order), order)


def _ordered(x: Tensor) -> Tensor:
    if x.dtype == mindspore.bool_:
        return x.astype(mindspore.int32)
    if not compiling() and has_nan(x):
        raise NotImplementedError("mint.cummax and mint.cummin of nan on CPU")
    return ops.stop_gradient(x)


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Return (values, indices) of the running maximum along `dim`."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    return _running(input, dim, mint.cummax(_ordered(input), dim)[1])


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Return (values, indices) of the running minimum along `dim`."""
    if input.ndim == 0:
        return ValuesIndices(input.copy(), _first())
    return _running(input, dim, ops.cummin(_ordered(input), dim)[1])


def cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the running sum along `dim`; integers sum to int64."""
    x = _accumulated(input, dtype)
    return ops.cumsum(x, dim) if x.ndim and x.size else x.copy()


def cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the running product along `dim`; integers multiply to int64."""
    x = _accumulated(input, dtype)
    if x.ndim == 0 or x.size == 0:
        return x.copy()
    if x.dtype not in FLOATS or not (twice() or compiling() or (x.asnumpy() == 0).any()):
        return mint.cumprod(x, dim)
    # MindSpore's gradient divides by the elements
    running = [mint.narrow(x, dim, 0, 1)]
    for i in range(1, x.shape[dim]):
        running.append(running[-1] * mint.narrow(x, dim, i, 1))
    return mint.cat(running, dim)


def _accumulated(x: Tensor, dtype: Any) -> Tensor:
    if dtype is None:
        return x if x.dtype in FLOATS or x.dtype == mindspore.complex64 else long(x)
    return x.astype(dtype)


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the distinct elements (slices along `dim`) in ascending order, with positions and counts if asked."""
    values, inverse, counts = np.unique(input.asnumpy(), return_inverse=True, return_counts=True, axis=dim)
    result = [Tensor(values)]
    if return_inverse:
        shape = input.shape if dim is None else (-1,)
        result.append(Tensor(inverse.reshape(shape).astype(np.int64)))
    if return_counts:
        result.append(Tensor(counts.astype(np.int64)))
    return result[0] if len(result) == 1 else tuple(result)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements (slices along `dim`) without consecutive repetitions, with positions and counts if asked."""
    values = input.asnumpy()
    x = values.reshape(-1) if dim is None else np.moveaxis(values, dim, 0)
    rows = x.reshape(x.shape[0], math.prod(x.shape[1:]))
    starts = np.ones(len(rows), dtype=bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    kept = x[starts]
    result = [Tensor(kept if dim is None else np.ascontiguousarray(np.moveaxis(kept, 0, dim)))]
    if return_inverse:
        inverse = (np.cumsum(starts) - 1).astype(np.int64)
        result.append(Tensor(inverse.reshape(input.shape) if dim is None else inverse))
    if return_counts:
        result.append(Tensor(np.diff(np.append(np.flatnonzero(starts), len(rows))).astype(np.int64)))
    return result[0] if len(result) == 1 else tuple(result)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each integer occurs (int64), or the sums of its weights."""
    numbers = input.asnumpy()
    if weights is None:
        return Tensor(np.bincount(numbers, minlength=minlength).astype(np.int64))
    w = weights.asnumpy()
    summed = np.bincount(numbers, w.astype(np.float64), minlength)
    return Tensor(summed.astype(np.float32 if w.dtype == np.float32 else np.float64))


def histc(input: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """Return the counts of `bins` equal bins between `min` and `max` (the extent of the data when both are equal)."""
    values = input.asnumpy().astype(np.float64).reshape(-1)
    low, high = float(min), float(max)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    inside = values[(values >= low) & (values <= high)]
    places = np.minimum(((inside - low) / (high - low) * bins).astype(np.int64), bins - 1)
    return Tensor(np.bincount(places, minlength=bins), input.dtype)


def searchsorted(
    sorted_sequence: Tensor,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Return the positions at which `values` keep the innermost dimension of `sorted_sequence` sorted."""
    if sorter is not None:
        sorted_sequence = mint.gather(sorted_sequence, sorted_sequence.ndim - 1, sorter)
    dtype = mindspore.int32 if out_int32 else mindspore.int64
    sought = values if isinstance(values, Tensor) else filled((), values, sorted_sequence.dtype)
    edges = sorted_sequence.asnumpy()
    where = "right" if right or side == "right" else "left"
    if edges.ndim == 1:
        return Tensor(np.searchsorted(edges, sought.asnumpy(), side=where), dtype)
    if sought.size == 0:
        return filled(sought.shape, 0, dtype)
    rows = edges.reshape(math.prod(edges.shape[:-1]), edges.shape[-1])
    wanted = sought.asnumpy().reshape(len(rows), -1)
    found = [np.searchsorted(row, want, side=where) for row, want in zip(rows, wanted)]
    return Tensor(np.asarray(found).reshape(sought.shape), dtype)

