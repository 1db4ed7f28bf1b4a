"""Writing elements by index or mask, out of place."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor

from .. import _device as mint

__all__ = ["index_copy", "index_fill", "index_put", "isin", "masked_scatter", "put"]


def lined(index: Tensor, shape: Any, d: int) -> Tensor:
    """Return the 1-d index repeated to `shape`, along dimension `d`."""
    line = index.reshape(tuple([-1 if i == d else 1 for i in range(len(shape))]))
    return mint.broadcast_to(line, tuple(shape))


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return `input` with the slices `source` written at `index` along `dim`."""
    if input.ndim == 0:
        return source.reshape(())
    d = dim % input.ndim
    return mint.scatter(input, d, lined(index, source.shape, d), source)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return `input` with the slices at `index` along `dim` filled with a number."""
    number = value.astype(input.dtype) if isinstance(value, Tensor) else mint.full((), value, dtype=input.dtype)
    if input.ndim == 0:
        return number.reshape(())
    d = dim % input.ndim
    places = index.reshape(-1)
    if isinstance(value, Tensor):
        # a place that the index names twice counts once for the gradient of the value
        named = mint.where(places < 0, places + input.shape[d], places).unsqueeze(-1) == mint.arange(input.shape[d])
        mask = mint.any(named, 0).reshape(tuple([-1 if i == d else 1 for i in range(input.ndim)]))
        return mint.where(mask, number, input)
    shape = tuple([places.shape[0] if i == d else n for i, n in enumerate(input.shape)])
    if number.ndim == 0 and isinstance(value, Tensor):
        # through a mask, since the gradient of the number counts a place once that the index names twice
        named = mint.scatter(mint.zeros((input.shape[d],), dtype=mindspore.int64), 0, places, mint.ones_like(places))
        mask = lined(named > 0, input.shape, d)
        return mint.where(mask, number, input)
    return mint.scatter(input, d, lined(places, shape, d), mint.broadcast_to(number, shape))


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Return `input` with `values` written (or added) at the positions that index tensors or a mask name."""
    places = [
        i for one in indices for i in (mint.nonzero(one, as_tuple=True) if one.dtype == mindspore.bool_ else [one])
    ]
    shape = mint.broadcast_to(places[0], places[0].shape).shape
    for place in places[1:]:
        shape = mint.add(mint.zeros(shape, dtype=mindspore.int64), place).shape
    flat = mint.zeros(shape, dtype=mindspore.int64)
    for size, place in zip(input.shape, places):
        flat = flat * size + mint.where(place < 0, place + size, place)
    rest = tuple(input.shape[len(places) :])
    inner = 1
    for n in rest:
        inner = inner * n
    rows = input.reshape((-1, inner))
    written = mint.broadcast_to(values, tuple(shape) + rest).reshape((-1, inner))
    index = mint.broadcast_to(flat.reshape((-1, 1)), written.shape)
    placed = mint.scatter_add(rows, 0, index, written) if accumulate else mint.scatter(rows, 0, index, written)
    return placed.reshape(input.shape)


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Return where `elements` occur in `test_elements`."""
    x = elements if isinstance(elements, Tensor) else mint.full((), elements)
    tests = test_elements if isinstance(test_elements, Tensor) else mint.full((), test_elements)
    found = mint.any(x.unsqueeze(-1) == tests.reshape(-1), -1)
    return mint.logical_not(found) if invert else found


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return `input` with the elements of `source`, in order, where `mask` is True."""
    shape = mint.logical_or(mask, input == input).shape
    chosen, x = mint.broadcast_to(mask, shape).reshape(-1), mint.broadcast_to(input, shape)
    if source.size == 0:
        return mint.clone(x)
    order = mint.cumsum(chosen.astype(mindspore.int64), 0) - 1
    order = mint.clamp(order, 0, source.size - 1)
    picked = mint.index_select(source.reshape(-1), 0, order).reshape(shape)
    return mint.where(chosen.reshape(shape), picked, x)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return `input` with `source` written (or added) at the places `index` of its elements in order."""
    flat, places = input.reshape(-1), index.reshape(-1)
    if places.shape[0] == 0:
        return mint.clone(input)
    places = mint.where(places < 0, places + flat.shape[0], places)
    values = source.reshape(-1)
    placed = mint.scatter_add(flat, 0, places, values) if accumulate else mint.scatter(flat, 0, places, values)
    return placed.reshape(input.shape)
