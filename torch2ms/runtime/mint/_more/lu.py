"""LU factorization with partial pivoting, by elimination column after column, so that it has every derivative.

https://docs.pytorch.org/docs/stable/generated/torch.linalg.lu_factor.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._trace import compiling, named
from ._matrices import adjoint, eye, wide
from .systems import solve

__all__ = ["lu", "lu_factor", "lu_factor_ex", "lu_pairs", "lu_solve", "lu_solve_pairs", "lu_unpack"]


class Factors(NamedTuple):
    """L below and U on and above the diagonal, and the row that each step exchanged, from 1 on."""

    LU: Any
    pivots: Any


class FactorsInfo(NamedTuple):
    """`Factors` and the first zero on the diagonal of U, from 1 on, 0 where there is none."""

    LU: Any
    pivots: Any
    info: Any


class Unpacked(NamedTuple):
    """A permutation, a lower and an upper triangular matrix."""

    P: Any
    L: Any
    U: Any


def _exchanged(x: Tensor, k: int, row: Tensor) -> Tensor:
    """Return matrices with the rows `k` and `row` (..., 1) exchanged."""
    order = mint.arange(x.shape[-2], dtype=mindspore.int64)
    order = mint.where(order == k, row, mint.where(order == row, mint.full_like(row, k), order))
    return mint.gather(x, -2, mint.broadcast_to(order.unsqueeze(-1), x.shape))


def _eliminated(x: Tensor, k: int) -> Tensor:
    """Return matrices after the k-th step: the multipliers below the diagonal, the rest reduced."""
    m, n = x.shape[-2], x.shape[-1]
    pivot = mint.narrow(mint.narrow(x, -2, k, 1), -1, k, 1)
    pivot = mint.where(pivot == 0, mint.ones_like(pivot), pivot)
    below = mint.narrow(x, -2, k + 1, m - k - 1)
    column = mint.narrow(below, -1, k, 1) / pivot
    parts = (mint.narrow(below, -1, 0, k), column) if k else (column,)
    if k + 1 < n:
        right = mint.narrow(mint.narrow(x, -2, k, 1), -1, k + 1, n - k - 1)
        parts = (*parts, mint.narrow(below, -1, k + 1, n - k - 1) - column * right)
    return mint.cat((mint.narrow(x, -2, 0, k + 1), mint.cat(parts, -1)), -2)


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> FactorsInfo:
    """Return L and U in one matrix, the pivots (int32) and the first zero of the diagonal of U (int32)."""
    m, n, batch = A.shape[-2], A.shape[-1], tuple(A.shape[:-2])
    x = wide(A)
    rows: tuple[Tensor, ...] = ()
    for k in range(min(m, n)):
        row = mint.full((*batch, 1), k, dtype=mindspore.int64)
        if pivot and k + 1 < m:
            column = mint.abs(ops.stop_gradient(mint.narrow(mint.narrow(x, -2, k, m - k), -1, k, 1))).squeeze(-1)
            row = mint.argmax(column, -1, True) + k
            x = _exchanged(x, k, row)
        rows = (*rows, row + 1)
        if k + 1 < m:
            x = _eliminated(x, k)
    pivots = mint.cat(rows, -1).astype(mindspore.int32) if rows else mint.zeros((*batch, 0), dtype=mindspore.int32)
    return named(FactorsInfo, (x.astype(A.dtype), pivots, _first_zero(ops.stop_gradient(x))))


def _first_zero(x: Tensor) -> Tensor:
    count = min(x.shape[-2:])
    if x.size == 0:
        return mint.zeros(tuple(x.shape[:-2]), dtype=mindspore.int32)
    steps = mint.arange(count, dtype=mindspore.int64)
    zero = ops.diagonal(x, 0, -2, -1) == 0
    first = mint.amin(mint.where(zero, steps + 1, mint.full_like(steps, count + 1)), -1)
    return mint.where(first > count, mint.zeros_like(first), first).astype(mindspore.int32)


def _regular(info: Tensor, name: str) -> None:
    if not compiling() and (info.asnumpy() > 0).any():
        raise RuntimeError(f"{name}: (Batch element): U has a zero on its diagonal, the matrix is singular")


def lu_factor(A: Tensor, *, pivot: bool = True) -> Factors:
    """Return L and U in one matrix and the pivots (int32); a singular matrix raises."""
    factors, pivots, info = lu_factor_ex(A, pivot=pivot)
    _regular(info, "torch.linalg.lu_factor")
    return named(Factors, (factors, pivots))


def lu_pairs(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """Return what `torch.lu` does: factors, pivots and, with `get_infos`, the first zeros of the diagonals."""
    factors, pivots, info = lu_factor_ex(A, pivot=pivot)
    if get_infos:
        return factors, pivots, info
    _regular(info, "torch.lu")
    return factors, pivots


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Unpacked:
    """Return (P, L, U) from what `lu_factor` returns; what is not asked for is empty."""
    m, n = LU_data.shape[-2], LU_data.shape[-1]
    empty = mint.zeros((0,), dtype=LU_data.dtype)
    lower, upper, permutation = empty, empty, empty
    if unpack_data:
        k = min(m, n)
        ones = mint.eye(m, k, LU_data.dtype)
        lower = mint.tril(mint.narrow(LU_data, -1, 0, k), -1) + ones
        upper = mint.triu(mint.narrow(LU_data, -2, 0, k))
    if unpack_pivots:
        permutation = adjoint(_exchanges(LU_pivots, m, LU_data))
    return named(Unpacked, (permutation, lower, upper))


def _exchanges(pivots: Tensor, rows: int, like: Tensor) -> Tensor:
    """Return the matrix whose product from the left exchanges rows as the factorization did."""
    found = mint.broadcast_to(eye(like, rows), (*pivots.shape[:-1], rows, rows))
    for k in range(pivots.shape[-1]):
        found = _exchanged(found, k, mint.narrow(pivots, -1, k, 1).astype(mindspore.int64) - 1)
    return found


def lu(A: Tensor, *, pivot: bool = True) -> Unpacked:
    """Return (P, L, U) with A = P @ L @ U; P is empty without pivots."""
    factors, pivots, _ = lu_factor_ex(A, pivot=pivot)
    return lu_unpack(factors, pivots, True, pivot)


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Return X with A @ X = B (X @ A = B with left=False) from the factors of A; `adjoint` takes its transpose."""
    permutation, lower, upper = lu_unpack(wide(LU), pivots)
    matrix = mint.matmul(permutation, mint.matmul(lower, upper))
    if adjoint:
        matrix = mint.transpose(matrix, -2, -1)
    return solve(matrix, wide(B), left=left).astype(B.dtype)


def lu_solve_pairs(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Return X with A @ X = b, as `torch.lu_solve` takes its arguments."""
    return lu_solve(LU_data, LU_pivots, b)
