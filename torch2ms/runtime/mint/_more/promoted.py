"""Functions of `mindspore.ops` with PyTorch's promotion of integers and booleans, which the kernels refuse."""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint

__all__ = [
    "addr",
    "copysign",
    "deg2rad",
    "diag_embed",
    "diagflat",
    "diagonal_scatter",
    "heaviside",
    "inner",
    "isposinf",
    "isreal",
    "rad2deg",
    "renorm",
    "vecdot",
]


def _floating(x: Any) -> Any:
    return x.astype(mindspore.float32) if isinstance(x, Tensor) and not x.is_floating_point() else x


def copysign(input: Tensor, other: Any) -> Tensor:
    """Return the magnitudes of `input` with the signs of `other`, as floats."""
    return ops.copysign(_floating(input), _floating(other))


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * the outer product of two vectors."""
    if input.dtype == mindspore.bool_:
        raise NotImplementedError("mint.addr of booleans")
    return mint.addmm(input, vec1.unsqueeze(1), vec2.unsqueeze(0), beta=beta, alpha=alpha)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the dot products along a dimension, of complex numbers with the first conjugated."""
    return mint.sum((ops.conj(x) if x.is_complex() else x) * y, dim)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the sums of the products along the last dimensions."""
    return ops.inner(input, other)


def isreal(input: Tensor) -> Tensor:
    """Return where the imaginary part is zero."""
    if input.is_complex():
        return ops.imag(input) == 0
    return mint.ones(tuple(input.shape), dtype=mindspore.bool_)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Return `input` with those of its slices along `dim` scaled down whose norm is above `maxnorm`."""
    d = dim % input.ndim
    others = tuple([i for i in range(input.ndim) if i != d])
    size = mint.norm(input, p, others, True)
    factor = mint.where(size > maxnorm, maxnorm / (size + 1e-7), mint.ones_like(size))
    return input * factor


def deg2rad(input: Tensor) -> Tensor:
    """Return degrees as radians."""
    return _floating(input) * (math.pi / 180)


def rad2deg(input: Tensor) -> Tensor:
    """Return radians as degrees."""
    return _floating(input) * (180 / math.pi)


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """Return 0 below, 1 above and `values` at 0."""
    if input.dtype == mindspore.bool_:
        return mint.logical_or(input, values)
    return ops.heaviside(input, values)


def isposinf(input: Tensor) -> Tensor:
    """Return where the elements are inf."""
    return mint.eq(input, float("inf")) if input.is_floating_point() else mint.zeros_like(input, dtype=mindspore.bool_)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return matrices, zero but for a diagonal that holds the last dimension."""
    if input.dtype == mindspore.bool_:
        return ops.diag_embed(input.astype(mindspore.uint8), offset, dim1, dim2).astype(mindspore.bool_)
    return ops.diag_embed(input, offset, dim1, dim2)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Return a matrix, zero but for a diagonal that holds all elements."""
    return diag_embed(input.reshape(-1), offset)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return `input` with `src` as a diagonal."""
    if input.dtype == mindspore.bool_:
        embedded = ops.diagonal_scatter(input.astype(mindspore.uint8), src.astype(mindspore.uint8), offset, dim1, dim2)
        return embedded.astype(mindspore.bool_)
    return ops.diagonal_scatter(input, src, offset, dim1, dim2)
