"""Shapes, copies and pieces with the arguments of PyTorch's methods."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, ops

from .. import mint


def _sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the numbers of a call with several arguments or with one sequence."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(n) for n in args)


def size(x: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or the length of one dimension."""
    return tuple(x.shape) if dim is None else x.shape[dim]


def view(x: Tensor, *shape: Any, **kwargs: Any) -> Tensor:
    """Return the elements in another shape, or their bytes as another type."""
    if kwargs:
        shape = tuple(kwargs.values())
    if len(shape) == 1 and not isinstance(shape[0], (int, tuple, list, Tensor)):
        return x.view(shape[0])
    return x.view(_sizes(shape))


def reshape(x: Tensor, *shape: Any, **kwargs: Any) -> Tensor:
    """Return the elements in another shape."""
    return x.reshape(_sizes(shape or tuple(kwargs.values())))


def permute(x: Tensor, *dims: Any, **kwargs: Any) -> Tensor:
    """Return the dimensions in another order."""
    return mint.permute(x, _sizes(dims or tuple(kwargs.values())))


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return two dimensions swapped."""
    return mint.transpose(x, dim0, dim1)


def expand(x: Tensor, *sizes: Any) -> Tensor:
    """Return dimensions of length 1 repeated; -1 keeps a length."""
    return x.expand(*_sizes(sizes))


def repeat(x: Tensor, *repeats: Any) -> Tensor:
    """Return the tensor repeated along each dimension."""
    counts = _sizes(repeats)
    if len(counts) < x.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return mint.tile(x, counts)


def tile(x: Tensor, *dims: Any) -> Tensor:
    """Return the tensor repeated along the last dimensions."""
    return mint.tile(x, _sizes(dims))


def flip(x: Tensor, *dims: Any) -> Tensor:
    """Return dimensions in reverse order."""
    return mint.flip(x, _sizes(dims))


def roll(x: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Return the elements moved round."""
    return mint.roll(x, shifts, dims)


def squeeze(x: Tensor, *dim: Any) -> Tensor:
    """Return the tensor without (all or the given) dimensions of length 1."""
    axes = {axis % max(1, x.ndim) for axis in _sizes(dim)} if dim else set(range(x.ndim))
    for axis in sorted(axes, reverse=True) if x.ndim else ():
        if x.shape[axis] == 1:
            x = mint.squeeze(x, axis)
    return x


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """Return the tensor with a new dimension of length 1."""
    return mint.unsqueeze(x, dim)


def split(x: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return pieces of a length, or of the given lengths."""
    return tuple(mint.split(x, split_size, dim))


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return a number of pieces."""
    return tuple(mint.chunk(x, chunks, dim))


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a diagonal."""
    return ops.diagonal(x, offset, dim1, dim2)


def select(x: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice at an index of a dimension."""
    return x[(slice(None),) * (dim % x.ndim) + (index,)]


def take(x: Tensor, index: Tensor) -> Tensor:
    """Return the elements at positions of the flattened tensor."""
    return mint.take(x, index)


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return elements chosen along a dimension."""
    return mint.gather(x, dim, index)


def scatter(x: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Return the tensor with elements replaced along a dimension."""
    return mint.scatter(x, dim, index, value if src is None else src)


def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return windows along a dimension, as a new last dimension."""
    length = x.shape[dimension]
    windows = [mint.narrow(x, dimension, start, size) for start in range(0, length - size + 1, step)]
    # stack puts the windows where the dimension was, and their elements last
    axis = dimension % x.ndim
    stacked = mint.stack(windows, axis)
    order = [d for d in range(stacked.ndim) if d != axis + 1] + [axis + 1]
    return mint.permute(stacked, tuple(order))


def clone(x: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy that keeps the gradient."""
    return mint.clone(x)


def detach(x: Tensor) -> Tensor:
    """Return the tensor cut from its graph."""
    return ops.stop_gradient(x)


def where(x: Tensor, condition: Tensor, y: Any) -> Tensor:
    """Return the tensor where a condition holds, and `y` elsewhere."""
    return mint.where(condition, x, y)


def is_contiguous(x: Tensor, memory_format: Any = None) -> bool:
    """Tell whether the elements lie in order."""
    return bool(x.is_contiguous())
