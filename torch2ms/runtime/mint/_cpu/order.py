"""Order and ranks along a dimension."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, named, twice
from .common import FLOATS, ValuesIndices, axis, filled, has_nan, long, pick

__all__ = ["argsort", "cummax", "cummin", "kthvalue", "median", "sort", "topk"]

# the functions with an underscore return plain tuples: a compiled graph can not look through nested named ones
Pair = tuple[Tensor, Tensor]


def _single(input: Tensor) -> Pair:
    """Return the result for a 0-d tensor."""
    return input.copy(), filled((), 0, mindspore.int64)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the order (int64) that sorts along `dim`; equal elements keep their order."""
    return _sort(input, dim, descending)[1]


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> ValuesIndices:
    """Return (values, indices) sorted along `dim`; equal elements keep their order."""
    values, order = _sort(input, dim, descending)
    return named(ValuesIndices, (values, order))


def _sort(input: Tensor, dim: int, descending: bool) -> Pair:
    if input.ndim == 0:
        return _single(input)
    if input.size == 0:
        return input.copy(), filled(input.shape, 0, mindspore.int64)
    if not compiling():
        places = _stable_order(input, axis(input, dim), descending)
        return pick(input, axis(input, dim), places), places
    if input.dtype == mindspore.bool_:
        values, order = ops.sort(input.astype(mindspore.int32), axis=dim, descending=descending)
        return values.astype(mindspore.bool_), long(order)
    values, order = ops.sort(input, axis=dim, descending=descending)
    return values, long(order)


def _stable_order(x: Tensor, d: int, descending: bool) -> Tensor:
    """Return the order in which equal elements keep their places and nan is the greatest; MindSpore's is not stable."""
    values = x.asnumpy()
    if not descending:
        return Tensor(np.argsort(values, axis=d, kind="stable"))
    # sorted backwards, equal elements would come out in reverse
    order = np.flip(np.argsort(np.flip(values, d), axis=d, kind="stable"), d)
    return Tensor(np.ascontiguousarray(values.shape[d] - 1 - order))


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesIndices:
    """Return (values, indices) of the `k` largest (smallest) elements along `dim`."""
    values, order = _topk(input, k, dim, largest, sorted)
    return named(ValuesIndices, (values, order))


def _topk(input: Tensor, k: int, dim: int, largest: bool, sorted: bool) -> Pair:
    if input.ndim == 0:
        return _single(input)
    if k < 0 or k > input.shape[dim]:
        raise RuntimeError("selected index k out of range")
    if input.dtype not in FLOATS or k == 0 or (not compiling() and has_nan(input)):
        values, order = _sort(input, dim, largest)
        return mint.narrow(values, dim, 0, k), mint.narrow(order, dim, 0, k)
    values, order = ops.topk(input, k, dim, largest, sorted)
    order = long(order)
    return (pick(input, axis(input, dim), order) if twice() else values), order


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """Return (value, index) of the `k`-th smallest element along `dim`."""
    value, index = _kthvalue(input, k, dim, keepdim)
    return named(ValuesIndices, (value, index))


def _kthvalue(input: Tensor, k: int, dim: int, keepdim: bool) -> Pair:
    if input.ndim == 0:
        return _single(input)
    values, order = _sort(input, dim, False)
    value, index = mint.narrow(values, dim, k - 1, 1), mint.narrow(order, dim, k - 1, 1)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the lower median of all elements, or (values, indices) along `dim`; nan wins where there is one."""
    if dim is None:
        flat = input.reshape(-1)
        return _median(flat, 0, False)[0]
    values, indices = _median(input, dim, keepdim)
    return named(ValuesIndices, (values, indices))


def _median(input: Tensor, dim: int, keepdim: bool) -> Pair:
    if input.ndim == 0:
        return _single(input)
    size = input.shape[dim]
    if compiling() or not has_nan(input):
        return _kthvalue(input, (size + 1) // 2, dim, keepdim)
    d = axis(input, dim)
    values = input.asnumpy()
    middle = np.take(_stable_order(input, d, False).asnumpy(), [(size - 1) // 2], d)
    first_nan = np.expand_dims(np.isnan(values).argmax(d), d)
    places = Tensor(np.where(np.isnan(values).any(d, keepdims=True), first_nan, middle))
    kept = pick(input, d, places)
    return (kept, places) if keepdim else (kept.squeeze(d), places.squeeze(d))


def _orderable(x: Tensor) -> Tensor:
    if x.dtype == mindspore.bool_:
        return x.astype(mindspore.int32)
    if not compiling() and has_nan(x):
        raise NotImplementedError("mint.cummax and mint.cummin of nan on CPU")
    return ops.stop_gradient(x)


def _running(input: Tensor, dim: int, found: Tensor) -> Pair:
    order = long(found)
    return pick(input, axis(input, dim), order), order


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """Return (values, indices) of the running maximum along `dim`."""
    values, order = _single(input) if input.ndim == 0 else _running(input, dim, mint.cummax(_orderable(input), dim)[1])
    return named(ValuesIndices, (values, order))


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """Return (values, indices) of the running minimum along `dim`."""
    values, order = _single(input) if input.ndim == 0 else _running(input, dim, ops.cummin(_orderable(input), dim)[1])
    return named(ValuesIndices, (values, order))
