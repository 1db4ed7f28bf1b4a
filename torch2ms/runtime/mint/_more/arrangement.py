"""Arranging, splitting and combining tensors beyond what mint has."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, ops

from .. import _device as mint

__all__ = [
    "broadcast_tensors",
    "cartesian_prod",
    "combinations",
    "hsplit",
    "logspace",
    "rot90",
    "sum_to_size",
    "take_along_dim",
    "tensor_split",
    "tensordot",
    "unflatten",
    "unfold",
    "unravel_index",
    "vander",
    "vsplit",
]


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors repeated to their common shape."""
    shape = _common([tuple(t.shape) for t in tensors])
    return tuple([mint.broadcast_to(t, shape) for t in tensors])


@ops.constexpr(check=False)
def _common(shapes: Any) -> tuple[int, ...]:
    return tuple(np.broadcast_shapes(*shapes))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of the elements of 1-d tensors, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    return mint.stack([g.reshape(-1) for g in mint.meshgrid(*tensors, indexing="ij")], 1)


@ops.constexpr(check=False)
def _choices(n: int, r: int, with_replacement: bool) -> Tensor:
    from itertools import combinations as without
    from itertools import combinations_with_replacement

    found = list((combinations_with_replacement if with_replacement else without)(range(n), r))
    return Tensor(np.asarray(found, np.int64).reshape(len(found), r))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return the combinations of `r` elements of a 1-d tensor, one per row."""
    places = _choices(input.shape[0], r, with_replacement)
    return mint.index_select(input, 0, places.reshape(-1)).reshape(places.shape)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split at indices, or into a number of nearly equal parts."""
    if isinstance(indices_or_sections, Tensor):
        listed = indices_or_sections.asnumpy().tolist()
        indices_or_sections = listed
    size = input.shape[dim]
    if isinstance(indices_or_sections, int):
        n = indices_or_sections
        edges = [0]
        for i in range(n):
            edges.append(edges[-1] + size // n + (1 if i < size % n else 0))
    else:
        edges = [0, *[min(max(i + size if i < 0 else i, 0), size) for i in indices_or_sections], size]
    return tuple([mint.narrow(input, dim, a, max(0, b - a)) for a, b in zip(edges[:-1], edges[1:])])


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split along dimension 1 (0 for 1-d tensors)."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split along dimension 0."""
    return tensor_split(input, indices_or_sections, 0)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Return the tensor with dimension `dim` split into `sizes`; one of them may be -1."""
    d = dim + input.ndim if dim < 0 else dim
    wanted = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return input.reshape(tuple(input.shape[:d]) + wanted + tuple(input.shape[d + 1 :]))


@ops.constexpr(check=False)
def _windows(length: int, size: int, step: int) -> Tensor:
    starts = np.arange(0, length - size + 1, step)
    return Tensor((starts[:, None] + np.arange(size)).astype(np.int64))


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return sliding windows over `dimension`; their elements are a new last dimension. The result is a copy."""
    if input.ndim == 0:
        return mint.broadcast_to(input, (size,))
    d = dimension + input.ndim if dimension < 0 else dimension
    places = _windows(input.shape[d], size, step)
    count = places.shape[0]
    picked = mint.index_select(input, d, places.reshape(-1))
    split = picked.reshape(tuple(input.shape[:d]) + (count, size) + tuple(input.shape[d + 1 :]))
    order = [i for i in range(split.ndim) if i != d + 1] + [d + 1]
    return split.permute(tuple(order))


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Rotate by 90 degrees `k` times in the plane of two dimensions."""
    first, second = dims
    turns = k % 4
    if turns == 0:
        return mint.clone(input)
    if turns == 2:
        return mint.flip(input, (first, second))
    if turns == 1:
        return mint.flip(mint.transpose(input, first, second), (first,))
    return mint.flip(mint.transpose(input, first, second), (second,))


def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Return the sum over the dimensions that broadcasting from `size` would have repeated."""
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else tuple(size)
    if not shape:
        return mint.sum(input)
    extra = input.ndim - len(shape)
    gone = [i for i in range(input.ndim) if i < extra or (shape[i - extra] == 1 and input.shape[i] != 1)]
    return mint.sum(input, tuple(gone), True).reshape(shape) if gone else input


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Return the elements at `indices` along `dim`; both broadcast in the other dimensions."""
    if dim is None:
        return mint.gather(input.reshape(-1), 0, indices.reshape(-1))
    d = dim + input.ndim if dim < 0 else dim
    shape = _common(
        (
            tuple(input.shape[:d]) + (1,) + tuple(input.shape[d + 1 :]),
            tuple(indices.shape[:d]) + (1,) + tuple(indices.shape[d + 1 :]),
        )
    )
    whole = mint.broadcast_to(input, shape[:d] + (input.shape[d],) + shape[d + 1 :])
    places = mint.broadcast_to(indices, shape[:d] + (indices.shape[d],) + shape[d + 1 :])
    return mint.gather(whole, d, places)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Return the sum of products over `dims`: a number of trailing and leading dimensions, or two lists of them."""
    if isinstance(dims, int):
        left, right = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        left = [d % a.ndim for d in ([dims[0]] if isinstance(dims[0], int) else dims[0])]
        right = [d % b.ndim for d in ([dims[1]] if isinstance(dims[1], int) else dims[1])]
    for i, j in zip(left, right):  # a dimension of length 1 stands for any length
        if a.shape[i] == 1 != b.shape[j]:
            b = mint.sum(b, j, True)
        elif b.shape[j] == 1 != a.shape[i]:
            a = mint.sum(a, i, True)
    rows = [i for i in range(a.ndim) if i not in left]
    columns = [i for i in range(b.ndim) if i not in right]
    depth = math.prod([a.shape[i] for i in left])
    shape = [a.shape[i] for i in rows] + [b.shape[i] for i in columns]
    x = a.permute(tuple(rows + left)).reshape((math.prod([a.shape[i] for i in rows]), depth))
    y = b.permute(tuple(right + columns)).reshape((depth, math.prod([b.shape[i] for i in columns])))
    return mint.matmul(x, y).reshape(tuple(shape))


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Return the coordinates of flat indices in `shape`."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if math.prod(sizes) >= 2**62:
        raise NotImplementedError("mint.unravel_index of more elements than an int64 counts safely")
    found, rest = [], indices
    for size in reversed(sizes):
        found.append(mint.remainder(rest, size))
        rest = mint.floor_divide(rest, size)
    return tuple(reversed(found))


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the powers of the elements as columns, the highest first unless `increasing`."""
    x = x.reshape(1) if x.ndim == 0 else x
    n = x.shape[-1] if N is None else N
    columns = [mint.ones_like(x)]
    for _ in range(1, n):
        columns.append(columns[-1] * x)
    columns = columns[:n]
    return mint.stack(columns if increasing else columns[::-1], -1)


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None) -> Tensor:
    """Return `steps` numbers from base ** start to base ** end, evenly spaced on a logarithmic scale."""
    first, last = (float(v) for v in (start, end))
    if dtype in (mindspore.int64, mindspore.int32, mindspore.int16, mindspore.int8, mindspore.uint8):
        first, last = int(first), int(last)
    return Tensor(np.logspace(first, last, int(steps), base=base), mindspore.float32 if dtype is None else dtype)
