"""Joining, splitting, moving and repeating elements."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling
from .common import axis, filled, is_float, product, zeros_of
from .reduction import sum as total

__all__ = [
    "broadcast_to",
    "cat",
    "concat",
    "diag",
    "flatten",
    "flip",
    "meshgrid",
    "narrow",
    "repeat_interleave",
    "roll",
    "select",
    "split",
    "squeeze",
    "stack",
    "t",
    "tile",
    "trace",
    "tril",
    "triu",
    "unbind",
]


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Join along an existing dimension; 1-d empty tensors are ignored, dtypes are promoted."""
    parts = [t for t in tensors if t.ndim != 1 or t.size != 0]
    if len(parts) == 0:
        return tensors[0].copy()
    if len(parts) == 1:
        return parts[0].copy()
    return mint.cat(_same_dtype(parts), dim)


concat = cat


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return dimensions start_dim ... end_dim as one."""
    first, last = axis(input, start_dim), axis(input, end_dim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if input.ndim == 0:
        return input.reshape((1,))
    shape = input.shape
    return input.reshape(shape[:first] + (product(shape[first : last + 1]),) + shape[last + 1 :])


def narrow(input: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    """Return `length` elements from `start` on along a dimension, as a view."""
    if compiling() and isinstance(start, int) and input.ndim > 0:
        # the graph's view knows neither double nor complex numbers
        d = axis(input, dim)
        first = start + input.shape[d] if start < 0 else start
        return input[(slice(None),) * d + (slice(first, first + length),)]
    return mint.narrow(input, dim, start, length)


def _same_dtype(parts: list[Tensor]) -> list[Tensor]:
    first = parts[0].dtype
    mixed = False
    for part in parts:
        mixed = mixed or part.dtype != first
    if not mixed:
        return parts
    common = filled((), 0, first)
    for part in parts:
        common = mint.add(common, filled((), 0, part.dtype))
    return [part.astype(common.dtype) for part in parts]


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Join along a new dimension."""
    return ops.stack(_same_dtype(list(tensors)), dim)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice `index` of the dimension `dim`."""
    d = axis(input, dim)
    if d == 0:
        return input[index]
    return mint.narrow(input, d, index % input.shape[d], 1).squeeze(d)


def t(input: Tensor) -> Tensor:
    """Return the transposed matrix; 0-d and 1-d tensors as they are."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return mint.transpose(input, 0, 1) if input.ndim == 2 else input


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along `dim`."""
    d = axis(input, dim)
    return tuple([select(input, d, i) for i in range(input.shape[d])])


def squeeze(input: Tensor, dim: Any) -> Tensor:
    """Return the tensor without its dimensions `dim` of size one."""
    if isinstance(dim, int):
        return mint.squeeze(input, dim) if input.ndim else input
    gone = [axis(input, d) for d in dim]
    return input.reshape(tuple([n for i, n in enumerate(input.shape) if n != 1 or i not in gone]))


def broadcast_to(input: Tensor, shape: Any) -> Tensor:
    """Return the tensor repeated to `shape`; -1 keeps a size."""
    return mint.broadcast_to(input, tuple(shape))


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return coordinate grids; `indexing` is "ij" (default) or "xy"."""
    axes = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    axes = [t.reshape(-1) for t in axes]
    shape = tuple([t.shape[0] for t in axes])
    grids = []
    for i in range(len(axes)):
        line = axes[i].reshape(tuple([shape[j] if j == i else 1 for j in range(len(shape))]))
        grids.append(mint.broadcast_to(line, shape))
    if indexing == "xy" and len(axes) > 1:
        grids = [mint.transpose(g, 0, 1) for g in grids]
    return tuple(grids)


def flip(input: Tensor, dims: Any) -> Tensor:
    """Reverse the order along `dims`."""
    return mint.flip(input, dims) if input.size and len(dims) else input.copy()


def tile(input: Tensor, dims: Any) -> Tensor:
    """Repeat the whole tensor `dims` times along each dimension."""
    rank = input.ndim if input.ndim > len(dims) else len(dims)
    shape = (1,) * (rank - input.ndim) + tuple(input.shape)
    repeats = (1,) * (rank - len(dims)) + tuple(dims)
    if product(shape) * product(repeats) == 0:
        return zeros_of(tuple([n * r for n, r in zip(shape, repeats)]), input)
    return mint.tile(input.reshape(shape), repeats)


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Repeat each element (slice along `dim`) `repeats` times; None flattens."""
    x = input.reshape(-1) if dim is None or input.ndim == 0 else input
    d = 0 if dim is None else axis(x, dim)
    if isinstance(repeats, int):
        shape = x.shape
        wide = mint.broadcast_to(x.unsqueeze(d + 1), shape[: d + 1] + (repeats,) + shape[d + 1 :])
        return wide.reshape(shape[:d] + (shape[d] * repeats,) + shape[d + 1 :])
    counts = repeats.asnumpy() if isinstance(repeats, Tensor) else np.asarray(repeats)
    order = np.repeat(np.arange(x.shape[d]), counts)
    return ops.gather(x, Tensor(order, mindspore.int64), d) if order.size else mint.narrow(x, d, 0, 0)


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Shift the elements along `dims`, the last ones to the front; None flattens."""
    if input.size == 0:
        return input.copy()
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        flat = input.reshape(-1)
        return roll(flat, shifts, 0).reshape(input.shape)
    x = input * 1 if is_float(input) else input.copy()
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    along = (dims,) if isinstance(dims, int) else tuple(dims)
    for shift, dim in zip(by, along):
        size = x.shape[dim] if x.ndim else 1
        tail = shift % size
        if tail:
            x = mint.cat((mint.narrow(x, dim, size - tail, tail), mint.narrow(x, dim, 0, size - tail)), dim)
    return x


@ops.constexpr(check=False)
def _triangle(rows: int, columns: int, diagonal: int, lower: bool) -> Tensor:
    full = np.ones((rows, columns), dtype=bool)
    return Tensor(np.tril(full, diagonal) if lower else np.triu(full, diagonal))


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the lower triangle of the matrices, zeros elsewhere."""
    mask = _triangle(input.shape[-2], input.shape[-1], diagonal, True)
    return mint.where(mask, input, filled((), 0, input.dtype))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the upper triangle of the matrices, zeros elsewhere."""
    mask = _triangle(input.shape[-2], input.shape[-1], diagonal, False)
    return mint.where(mask, input, filled((), 0, input.dtype))


@ops.constexpr(check=False)
def _diagonal_places(rows: int, columns: int, diagonal: int) -> Tensor:
    """Return the flat indices of a diagonal of a (rows, columns) matrix."""
    count = max(0, min(rows + min(diagonal, 0), columns - max(diagonal, 0)))
    first = max(0, -diagonal) * columns + max(0, diagonal)
    return Tensor(first + (columns + 1) * np.arange(count, dtype=np.int64))


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or the matrix with the diagonal `input`."""
    if input.ndim == 1:
        n = input.shape[0] + (diagonal if diagonal >= 0 else -diagonal)
        flat = zeros_of((n * n,), input)
        if input.shape[0] == 0:
            return flat.reshape((n, n))
        places = _diagonal_places(n, n, diagonal)
        return ops.tensor_scatter_elements(flat, places, input, 0, "add").reshape((n, n))
    if input.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    places = _diagonal_places(input.shape[0], input.shape[1], diagonal)
    return ops.gather(input.reshape(-1), places, 0) if places.shape[0] else zeros_of((0,), input)


def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal."""
    return total(diag(input))


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of consecutive pieces; MindSpore's own takes gradients of pieces that lie out of order for ordered ones."""
    d = axis(tensor, dim)
    length = tensor.shape[d]
    if isinstance(split_size_or_sections, int):
        size = split_size_or_sections
        if size < 0 or size == 0 and length:
            raise RuntimeError(f"split expects split_size be non-negative and not 0, but got split_size={size}")
        sections = [min(size, length - at) for at in range(0, length, size)] if length else [0]
    else:
        sections = list(split_size_or_sections)
        if sum(sections) != length:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {length}, but got split_sizes={sections}"
            )
    pieces, at = [], 0
    for size in sections:
        pieces.append(mint.narrow(tensor, d, at, size))
        at += size
    return tuple(pieces)
