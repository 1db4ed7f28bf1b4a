"""Linear systems."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._linalg import inv
from .._trace import named
from ._matrices import adjoint, eye, wide
from .spectra import matrix_rank, pinv, svdvals

__all__ = ["cholesky_inverse", "inv_ex", "lstsq", "solve", "solve_ex", "solve_triangular", "tensorinv", "tensorsolve"]


class Inverse(NamedTuple):
    """An inverse and the zero that says it exists."""

    inverse: Any
    info: Any


class LeastSquares(NamedTuple):
    """The solution of a least squares problem."""

    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with A @ X = B (X @ A = B with left=False); B holds vectors where its shape is that of A without the last dimension."""
    inverse, right = inv(wide(A)), wide(B)
    vector = B.ndim == 1 or (B.ndim + 1 == A.ndim and B.shape == A.shape[:-1])
    if vector:
        return mint.matmul(inverse, right.unsqueeze(-1)).squeeze(-1).astype(A.dtype)
    return (mint.matmul(inverse, right) if left else mint.matmul(right, inverse)).astype(A.dtype)


def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """Return X with A @ X = B for triangular A; the other triangle is not read."""
    factor = mint.triu(A) if upper else mint.tril(A)
    if unitriangular:
        ones = eye(A, A.shape[-1])
        factor = factor * (1 - ones) + ones
    return solve(factor, B, left=left) if B.ndim > 1 else solve(factor, B)


class SolveInfo(NamedTuple):
    """The solution of a linear system and the zero that says it has one."""

    result: Any
    info: Any


def _no_fault(A: Tensor) -> Tensor:
    return mint.zeros(tuple(A.shape[:-2]), dtype=mindspore.int32)


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> SolveInfo:
    """Return `solve` and a code of no fault; a singular matrix raises."""
    return named(SolveInfo, (solve(A, B, left=left), _no_fault(A)))


def inv_ex(A: Tensor, *, check_errors: bool = False) -> Inverse:
    """Return the inverse and a code of no fault; a singular matrix raises."""
    return named(Inverse, (inv(A), _no_fault(A)))


def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """Return the inverse of the matrices whose Cholesky factors are given; the other triangle is not read."""
    if input.size == 0:
        return mint.clone(input)
    x = wide(input)
    # the gradient reaches the other triangle, as PyTorch's does
    factor = ops.stop_gradient(mint.triu(x) if upper else mint.tril(x)) + (x - ops.stop_gradient(x))
    factor = adjoint(factor) if upper else factor
    return inv(mint.matmul(factor, adjoint(factor))).astype(input.dtype)


def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of the map that `tensordot` with `A` over its last dimensions is."""
    rows, columns = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if ind <= 0 or math.prod(rows) != math.prod(columns):
        raise RuntimeError("linalg.tensorinv: expected a square map and a positive ind")
    return inv(A.reshape((-1, math.prod(columns)))).reshape(columns + rows)


def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """Return X with tensordot(A, X, X.ndim) = B; `dims` of `A` are moved to its end first."""
    if dims is not None:
        moved = [d % A.ndim for d in dims]
        A = mint.permute(A, tuple([d for d in range(A.ndim) if d not in moved] + moved))
    shape = tuple(A.shape[B.ndim :])
    return solve(A.reshape((-1, math.prod(shape))), B.reshape(-1)).reshape(shape)


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> LeastSquares:
    """Return X that minimizes the norm of A @ X - B, for matrices of full rank."""
    solution = mint.matmul(pinv(A), B if B.ndim > 1 and B.ndim == A.ndim else B.unsqueeze(-1))
    difference = mint.matmul(A, solution) - (B if B.ndim > 1 and B.ndim == A.ndim else B.unsqueeze(-1))
    tall = A.shape[-2] > A.shape[-1] and driver not in (None, "gelsy")
    residuals = mint.sum(difference * difference, -2) if tall else mint.zeros((0,), dtype=A.dtype)
    if not (B.ndim > 1 and B.ndim == A.ndim):
        solution = solution.squeeze(-1)
    # which driver reports what is LAPACK's; PyTorch leaves the rest empty
    rank = mint.zeros((0,), dtype=mindspore.int64) if driver == "gels" else matrix_rank(A)
    singular = svdvals(A) if driver in ("gelsd", "gelss") else mint.zeros((0,), dtype=A.dtype)
    return named(LeastSquares, (solution, residuals, rank, singular))
