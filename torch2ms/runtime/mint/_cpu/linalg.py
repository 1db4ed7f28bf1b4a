"""Norms, inverses, factorizations, triangular systems."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor, mint, ops

from .._trace import twice
from .common import as_float, axis
from .norms import vector_norm
from .products import matmul
from .reduction import _sum
from .shape import tril, triu

__all__ = ["inv", "inverse", "linalg_norm", "matrix_norm", "norm", "qr", "triangular_solve"]


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the `p`-norm of the elements along `dim`; "fro" is 2, "nuc" the sum of singular values."""
    if p == "nuc":
        return matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p == "fro" or p is None else p, dim, keepdim, dtype=dtype)


def linalg_norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return a vector norm, or a matrix norm where two dimensions (or a matrix and an `ord`) are given."""
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if dim is None:
        if A.ndim == 1:
            return vector_norm(A, ord, None, keepdim, dtype=dtype)
        return matrix_norm(A, ord, (-2, -1), keepdim, dtype=dtype)
    if isinstance(dim, int) or len(dim) == 1:
        return vector_norm(A, ord, dim, keepdim, dtype=dtype)
    return matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm of the matrices in the two dimensions `dim`."""
    x = as_float(A) if dtype is None else A.astype(dtype)
    rows, columns = axis(x, dim[0]), axis(x, dim[1])
    if x.size == 0:
        return _sum(x, tuple(sorted((rows, columns))), keepdim)
    if ord == "fro":
        return vector_norm(x, 2, (rows, columns), keepdim)
    if ord in (1, -1, math.inf, -math.inf):
        along, across = (rows, columns) if ord in (1, -1) else (columns, rows)
        sums = _sum(mint.abs(x), (along,), True)
        extreme = mint.amax(sums, across, True) if ord > 0 else mint.amin(sums, across, True)
        return extreme if keepdim else extreme.squeeze((rows, columns))
    if twice():
        raise NotImplementedError("mint.norm: MindSpore's second derivative of singular values is wrong on CPU")
    order = [i for i in range(x.ndim) if i not in (rows, columns)]
    values = ops.svd(x.permute(tuple(order + [rows, columns])), compute_uv=False)
    if ord == "nuc":
        result = _sum(values, (values.ndim - 1,), False)
    else:
        result = mint.amax(values, -1) if ord > 0 else mint.amin(values, -1)
    if keepdim:
        return result.reshape(tuple([1 if i in (rows, columns) else x.shape[i] for i in range(x.ndim)]))
    return result


def inverse(input: Tensor) -> Tensor:
    """Return the inverse of the square matrices."""
    if input.size == 0:
        return input.copy()
    if input.shape[-1] == 1:
        return 1 / input
    return ops.inverse(input)


inv = inverse


def qr(A: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Return the QR factorization; `mode` is "reduced" or "complete" (whose gradient exists for square matrices)."""
    q, r = ops.qr(ops.stop_gradient(A), mode)
    rows, columns = A.shape[-2], A.shape[-1]
    if A.size == 0 or (mode == "complete" and rows > columns):
        return q, r
    # the kernel has no gradient: Gram-Schmidt contributes derivatives, the kernel the values
    basis: list[Tensor] = []
    for j in range(rows if rows < columns else columns):
        v = mint.narrow(A, -1, j, 1)
        for _ in range(2):
            for u in basis:
                v = v - u * _sum(u * v, (A.ndim - 2,), True)
        length = vector_norm(v, 2, -2, True)
        sign = mint.where(mint.narrow(mint.narrow(r, -2, j, 1), -1, j, 1) < 0, -1.0, 1.0)
        basis.append(v / length * ops.stop_gradient(sign))
    own_q = mint.cat(basis, -1)
    own_r = triu(matmul(own_q.swapaxes(-2, -1), A))
    return q + (own_q - ops.stop_gradient(own_q)), r + (own_r - ops.stop_gradient(own_r))


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the solution of A x = b for triangular `A`, and a copy of `A`."""
    factor = triu(A) if upper else tril(A)
    if unitriangular:
        eye = ops.eye(A.shape[-1], A.shape[-1], A.dtype)
        factor = factor * (1 - eye) + eye
    if transpose:
        factor = factor.swapaxes(-2, -1)
    return matmul(inverse(factor), b), A.copy()
