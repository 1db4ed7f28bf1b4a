"""Products of Householder reflections and the QR factorization that is made of them.

https://docs.pytorch.org/docs/stable/generated/torch.linalg.householder_product.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from mindspore import Tensor

from .. import _device as mint
from .._trace import named
from ._matrices import adjoint, wide

__all__ = ["geqrf", "householder_product", "ormqr"]


class Reflections(NamedTuple):
    """The vectors of reflections below the diagonal, R on and above it, and the scales of the reflections."""

    a: Any
    tau: Any


def _vector(A: Tensor, i: int) -> Tensor:
    """Return the vector of the i-th reflection, (..., m, 1): zeros, a one, and the column below the diagonal."""
    m, batch = A.shape[-2], tuple(A.shape[:-2])
    one = mint.ones((*batch, 1, 1), dtype=A.dtype)
    parts = (mint.zeros((*batch, i, 1), dtype=A.dtype), one) if i else (one,)
    if i + 1 < m:
        parts = parts + (mint.narrow(mint.narrow(A, -2, i + 1, m - i - 1), -1, i, 1),)
    return mint.cat(parts, -2)


def _reflected(x: Tensor, A: Tensor, tau: Tensor, i: int) -> Tensor:
    """Return the i-th reflection of the columns of `x`."""
    vector = _vector(A, i)
    scale = mint.narrow(tau, -1, i, 1).unsqueeze(-1)
    return x - scale * mint.matmul(vector, mint.matmul(adjoint(vector), x))


def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """Return the first columns of the product of the reflections that `geqrf` stores, of the shape of `A`."""
    m, n = A.shape[-2], A.shape[-1]
    vectors, scales = wide(A), wide(tau)
    found = mint.broadcast_to(mint.eye(m, n, vectors.dtype), A.shape)
    for i in reversed(range(tau.shape[-1])):
        found = _reflected(found, vectors, scales, i)
    return found.astype(A.dtype)


def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """Return the product of `other` with the reflections, from the left or the right, transposed or not."""
    vectors, scales, x = wide(input), wide(tau), wide(other if left else adjoint(other))
    # from the right the product is the transposed of one from the left
    steps = range(tau.shape[-1])
    for i in steps if transpose == left else reversed(steps):
        x = _reflected(x, vectors, scales, i)
    return (x if left else adjoint(x)).astype(other.dtype)


def geqrf(input: Tensor) -> Reflections:
    """Return R on and above the diagonal, the vectors of the reflections below it, and their scales."""
    m, n, batch = input.shape[-2], input.shape[-1], tuple(input.shape[:-2])
    x = wide(input)
    scales: tuple[Tensor, ...] = ()
    for i in range(min(m, n)):
        column = mint.narrow(mint.narrow(x, -2, i, m - i), -1, i, 1)
        beta, tau, divisor = _reflection(column)
        scales = (*scales, tau.squeeze(-1))
        x = _stored(x, column, beta, divisor, tau, i)
    tau = mint.cat(scales, -1) if scales else mint.zeros((*batch, 0), dtype=x.dtype)
    return named(Reflections, (x.astype(input.dtype), tau.astype(input.dtype)))


def _reflection(column: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return what a reflection makes of the first element of a column, its scale and the divisor of its vector."""
    rows = column.shape[-2]
    first = mint.narrow(column, -2, 0, 1)
    if rows == 1:
        return first, mint.zeros_like(first), mint.ones_like(first)
    below = mint.narrow(column, -2, 1, rows - 1)
    rest = mint.sum(below * below, -2, True)
    none, ones = rest == 0, mint.ones_like(first)
    length = mint.sqrt(mint.where(none, ones, rest) + first * first)
    beta = mint.where(first >= 0, -length, length)
    tau = mint.where(none, mint.zeros_like(first), (beta - first) / beta)
    return mint.where(none, first, beta), tau, mint.where(none, ones, first - beta)


def _stored(x: Tensor, column: Tensor, beta: Tensor, divisor: Tensor, tau: Tensor, i: int) -> Tensor:
    """Return `x` after the i-th reflection: its vector in its own column, the columns to the right reflected."""
    m, n = x.shape[-2], x.shape[-1]
    above: tuple[Tensor, ...] = (mint.narrow(mint.narrow(x, -2, 0, i), -1, i, 1),) if i else ()
    below: tuple[Tensor, ...] = (mint.narrow(column, -2, 1, m - i - 1) / divisor,) if i + 1 < m else ()
    own = mint.cat(above + (beta,) + below, -2)
    parts = (mint.narrow(x, -1, 0, i), own) if i else (own,)
    if i + 1 < n:
        zeros = tuple([mint.zeros_like(part) for part in above])
        vector = mint.cat(zeros + (mint.ones_like(beta),) + below, -2)
        right = mint.narrow(x, -1, i + 1, n - i - 1)
        parts = parts + (right - tau * mint.matmul(vector, mint.matmul(adjoint(vector), right)),)
    return mint.cat(parts, -1)
