"""Norms, inverses, factorizations, triangular systems."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor, mint, ops

from .common import as_float, axis, dims, filled, safe_sqrt
from .reduction import _sum
from .shape import tril, triu

__all__ = ["inv", "inverse", "linalg_norm", "matrix_norm", "norm", "qr", "triangular_solve", "vector_norm"]


def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the norm of the vectors along `dim` (all elements when None); the gradient at 0 is 0."""
    x = as_float(x) if dtype is None else x.astype(dtype)
    d = dims(x, dim)
    if ord == 2:
        return safe_sqrt(_sum(x * x, d, keepdim))
    magnitude = mint.abs(x)
    if ord == 1:
        return _sum(magnitude, d, keepdim)
    if ord == 0:
        return _sum((x != 0).astype(x.dtype), d, keepdim)
    if ord == math.inf:
        return mint.amax(magnitude, d, keepdim) if len(d) else magnitude
    if ord == -math.inf:
        return mint.amin(magnitude, d, keepdim) if len(d) else magnitude
    # the gradient of a power at 0 is nan or infinite for exponents below one
    zero = magnitude == 0
    powers = mint.where(zero, filled((), 0.0 if ord > 0 else math.inf, x.dtype), mint.pow(mint.where(zero, ops.ones_like(x), magnitude), ord))
    total = _sum(powers, d, keepdim)
    nothing = mint.logical_or(total == 0, mint.isinf(total))
    root = mint.pow(mint.where(nothing, ops.ones_like(total), total), 1.0 / ord)
    return mint.where(nothing, filled((), 0, x.dtype), root)


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


def matrix_norm(A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the norm of the matrices in the two dimensions `dim`."""
    x = as_float(A) if dtype is None else A.astype(dtype)
    rows, columns = axis(x, dim[0]), axis(x, dim[1])
    if ord == "fro":
        return vector_norm(x, 2, (rows, columns), keepdim)
    if ord in (1, -1, math.inf, -math.inf):
        along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = mint.sum(mint.abs(x), along, True)
        extreme = mint.amax(sums, across, True) if ord > 0 else mint.amin(sums, across, True)
        return extreme if keepdim else extreme.squeeze((rows, columns))
    if x.shape[rows] == 0 or x.shape[columns] == 0:
        raise NotImplementedError("mint.linalg.matrix_norm: singular values of an empty matrix on CPU")
    order = [i for i in range(x.ndim) if i not in (rows, columns)]
    values = ops.svd(x.permute(tuple(order + [rows, columns])), compute_uv=False)
    if ord == "nuc":
        result = mint.sum(values, -1)
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
    """Return the QR factorization; `mode` is "reduced" or "complete"."""
    return ops.qr(A, mode)


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
    return mint.matmul(inverse(factor), b), A.copy()

