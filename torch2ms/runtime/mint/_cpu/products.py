"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, mint, ops

from ... import _second_order as second_order
from .._trace import twice
from .common import INTEGERS, product, zeros_of
from .norms import vector_norm
from .reduction import sum as total

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "baddbmm",
    "bmm",
    "cdist",
    "cross",
    "dot",
    "matmul",
    "mm",
    "mv",
    "outer",
    "vdot",
]


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product, broadcast over leading dimensions."""
    if not isinstance(input, Tensor):
        return input @ other  # a sparse matrix
    if input.size == 0 or other.size == 0:
        # the empty sum: MindSpore returns memory as it is
        left = input if input.ndim > 1 else input.unsqueeze(0)
        right = other if other.ndim > 1 else other.unsqueeze(1)
        lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        shape = lead + ((left.shape[-2],) if input.ndim > 1 else ()) + ((right.shape[-1],) if other.ndim > 1 else ())
        return zeros_of(shape, input)
    return second_order.matmul(input, other) if twice() else mint.matmul(input, other)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    return matmul(input, mat2) if input.shape[1] else zeros_of((input.shape[0], mat2.shape[1]), input)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of two batches of matrices."""
    shape = (input.shape[0], input.shape[1], mat2.shape[2])
    if product(shape) * input.shape[2] == 0:
        return zeros_of(shape, input)
    return second_order.matmul(input, mat2) if twice() else mint.bmm(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    return mm(input, vec.unsqueeze(1)).squeeze(1)


def dot(input: Tensor, other: Tensor) -> Tensor:
    """Return the inner product of two vectors."""
    return total(input * other)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Return the inner product of two vectors, the first one conjugated."""
    return mint.sum(ops.conj(input) * other) if input.is_complex() else total(input * other)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors."""
    return input.unsqueeze(1) * vec2.unsqueeze(0)


def _combined(input: Tensor, added: Tensor, beta: Any, alpha: Any) -> Tensor:
    if added.dtype in INTEGERS:
        beta, alpha = int(beta), int(alpha)  # PyTorch cuts the factors of integers
    scaled = added if alpha == 1 else added * alpha
    if beta == 0:
        return mint.broadcast_to(scaled, mint.add(input, scaled).shape)
    return mint.add(input if beta == 1 else input * beta, scaled)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat1 @ mat2."""
    return _combined(input, mm(mat1, mat2), beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat @ vec."""
    return _combined(input, mv(mat, vec), beta, alpha)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * the sum of the products of the matrices."""
    return _combined(input, total(bmm(batch1, batch2), 0), beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * the products of the matrices."""
    return _combined(input, bmm(batch1, batch2), beta, alpha)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Return the cross product along `dim` (the first dimension of size 3 when None)."""
    if dim is None:
        dim = [i for i in range(input.ndim) if input.shape[i] == 3][0]
    a0, a1, a2 = [mint.narrow(input, dim, i, 1) for i in range(3)]
    b0, b1, b2 = [mint.narrow(other, dim, i, 1) for i in range(3)]
    return mint.cat((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), dim)


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Return the `p`-norm distances between the rows of (*, P, M) and (*, R, M) as (*, P, R)."""
    rows, others = x1.shape[-2], x2.shape[-2]
    lead = tuple(np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]))
    if x1.size == 0 or x2.size == 0:
        return zeros_of(lead + (rows, others), x1)
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
