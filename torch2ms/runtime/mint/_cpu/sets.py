"""Sets, counts and positions, computed on the host: their results have no gradient."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint

from .common import filled

__all__ = ["bincount", "histc", "searchsorted", "unique", "unique_consecutive"]


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
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
    where: Any = "right" if right or side == "right" else "left"
    if edges.ndim == 1:
        return Tensor(np.searchsorted(edges, sought.asnumpy(), side=where), dtype)
    if sought.size == 0:
        return filled(sought.shape, 0, dtype)
    rows = edges.reshape(math.prod(edges.shape[:-1]), edges.shape[-1])
    wanted = sought.asnumpy().reshape(len(rows), -1)
    found = [np.searchsorted(row, want, side=where) for row, want in zip(rows, wanted)]
    return Tensor(np.asarray(found).reshape(sought.shape), dtype)
