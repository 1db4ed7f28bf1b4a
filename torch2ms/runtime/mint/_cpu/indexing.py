"""Picking and placing elements by index or mask."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .common import axis, filled, pick, product, zeros_of

__all__ = [
    "gather",
    "index_add",
    "index_select",
    "masked_select",
    "nonzero",
    "scatter",
    "scatter_add",
    "take",
    "where",
]


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return input[..., index, ...] along `dim`, one index per element."""
    if index.size == 0:
        return zeros_of(index.shape, input)
    if input.ndim == 0:
        return mint.broadcast_to(input, index.shape)
    if index.ndim == 0:
        return ops.gather(input, index, 0)
    d = axis(input, dim)
    return pick(_cropped(input, index.shape, d), d, _index(index))


def _index(index: Tensor) -> Tensor:
    return index if index.dtype in (mindspore.int64, mindspore.int32) else index.astype(mindspore.int64)


def _cropped(x: Tensor, shape: tuple[int, ...], keep: int) -> Tensor:
    """Return `x` cut to `shape` except in dimension `keep`, as gather reads it and scatter writes it."""
    for d in range(len(shape)):
        if d != keep and shape[d] < x.shape[d]:
            x = mint.narrow(x, d, 0, shape[d])
    return x


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the slices `index` (1-d or 0-d) of dimension `dim`."""
    if input.ndim == 0:
        return input.copy()
    d = axis(input, dim)
    places = index.reshape(-1)
    if places.size == 0:
        return mint.narrow(input, d, 0, 0)
    return ops.gather(input, places, d)


def _scatter(x: Tensor, dim: int, index: Tensor, source: Any, reduce: str) -> Tensor:
    if x.ndim == 0:
        x, index = x.reshape(1), index.reshape(1)
        source = source.reshape(1) if isinstance(source, Tensor) else source
        return _scatter(x, 0, index, source, reduce).reshape(())
    if index.size == 0:
        return x.copy()
    if not isinstance(source, Tensor):
        source = filled(index.shape, source, x.dtype)
    if source.shape != index.shape:
        for d in range(index.ndim):
            if index.shape[d] < source.shape[d]:
                source = mint.narrow(source, d, 0, index.shape[d])
    return ops.tensor_scatter_elements(x, _index(index), source, dim, reduce)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Tensor:
    """Return `input` with the elements of `src` (a tensor or a number) written at `index` along `dim`."""
    return _scatter(input, dim, index, src, "none")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return `input` with the elements of `src` added at `index` along `dim`."""
    return _scatter(input, dim, index, src, "add")


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Return `input` with the slices of alpha * `source` added at `index` along `dim`."""
    added = source if alpha == 1 else (source * alpha).astype(input.dtype)
    if input.ndim == 0:
        return (input + mint.sum(added.reshape(-1))).astype(input.dtype)
    d = axis(input, dim)
    line = index.reshape(tuple([-1 if i == d else 1 for i in range(input.ndim)]))
    return _scatter(input, d, mint.broadcast_to(line, added.reshape(_aligned(added, input, d)).shape), added, "add")


def _aligned(source: Tensor, x: Tensor, d: int) -> tuple[int, ...]:
    return (
        source.shape
        if source.ndim == x.ndim
        else tuple([1 if i != d else product(source.shape) for i in range(x.ndim)])
    )


def take(input: Tensor, index: Tensor) -> Tensor:
    """Return the elements of the flattened tensor at `index`."""
    if index.size == 0:
        return zeros_of(index.shape, input)
    return ops.gather(input.reshape(-1), mint.where(index < 0, index + input.size, index), 0)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the elements where `mask` is True, 1-d."""
    if input.ndim == 0 and mask.ndim == 0:
        return mint.masked_select(input.reshape(1), mask.reshape(1))
    if input.shape != mask.shape:
        # the kernel broadcasts, its gradient does not
        shape = tuple(np.broadcast_shapes(input.shape, mask.shape))
        input, mask = mint.broadcast_to(input, shape), mint.broadcast_to(mask, shape)
    return mint.masked_select(input, mask)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of the non-zero elements, int64: (count, rank), or one tensor per dimension."""
    values = input.asnumpy()
    if not as_tuple:
        return Tensor(np.argwhere(values).astype(np.int64))
    return tuple([Tensor(places.astype(np.int64)) for places in np.nonzero(np.atleast_1d(values))])


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Return `input` where `condition` holds, else `other`; with the condition alone, its non-zero indices."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return mint.where(condition, input, other)
