"""Factors of matrices, their diagonals and their lower elements, made of operations that have gradients."""

from __future__ import annotations

import math

import numpy as np
from mindspore import Tensor

from .. import mint


def cholesky(matrix: Tensor) -> Tensor:
    """Return the lower triangular factor of symmetric positive definite matrices, column by column."""
    n = matrix.shape[-1]
    columns: list[Tensor] = []
    for j in range(n):
        column = matrix[..., j]
        for done in columns:
            column = column - done * done[..., j : j + 1]
        root = mint.sqrt(column[..., j : j + 1])
        below = Tensor(np.arange(n) >= j).astype(matrix.dtype)
        columns.append(column / root * below)
    return mint.stack(columns, -1)


def solve_lower(factor: Tensor, value: Tensor) -> Tensor:
    """Return x with factor @ x = value for vectors (..., n), row by row."""
    solved: list[Tensor] = []
    for i in range(factor.shape[-1]):
        rest = value[..., i]
        for j, x in enumerate(solved):
            rest = rest - factor[..., i, j] * x
        solved.append(rest / factor[..., i, i])
    return mint.stack(solved, -1)


def inverse_of_factor(factor: Tensor) -> Tensor:
    """Return the inverse of lower triangular matrices."""
    n = factor.shape[-1]
    identity = mint.eye(n, dtype=factor.dtype)
    return mint.stack([solve_lower(factor, identity[i]) for i in range(n)], -1)


def factor_of_inverse(precision: Tensor) -> Tensor:
    """Return the lower factor of the inverse of a precision matrix."""
    flipped = mint.flip(cholesky(mint.flip(precision, (-2, -1))), (-2, -1))
    n = precision.shape[-1]
    identity = mint.eye(n, dtype=precision.dtype)
    rows = [solve_lower(mint.transpose(flipped, -2, -1), identity[i]) for i in range(n)]
    return mint.stack(rows, -1)


def diagonal(matrix: Tensor) -> Tensor:
    """Return the diagonals of square matrices."""
    return mint.stack([matrix[..., i, i] for i in range(matrix.shape[-1])], -1)


def on_diagonal(vector: Tensor) -> Tensor:
    """Return matrices with the vectors on their diagonals."""
    return vector.unsqueeze(-1) * mint.eye(vector.shape[-1], dtype=vector.dtype)


def log_determinant(factor: Tensor) -> Tensor:
    """Return the logarithms of the determinants of lower triangular factors."""
    return mint.sum(mint.log(diagonal(factor)), -1)


def lower_elements(matrix: Tensor, diagonal: int) -> Tensor:
    """Return the elements on and below a diagonal, row by row, as vectors."""
    n = matrix.shape[-1]
    places = np.flatnonzero(np.tri(n, k=diagonal, dtype=np.bool_))
    flat = matrix.reshape((*matrix.shape[:-2], n * n))
    return mint.index_select(flat, flat.ndim - 1, Tensor(places))


def lower_matrix(vector: Tensor, diagonal: int) -> Tensor:
    """Return matrices with the elements of vectors, row by row, on and below a diagonal, and 0 elsewhere."""
    count = vector.shape[-1]
    n = round((math.sqrt(1 + 8 * count) - 1) / 2) - diagonal
    places = np.tri(n, k=diagonal, dtype=np.bool_).reshape(-1)
    if places.sum() != count:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square matrix."
        )
    # the places that stay empty take a 0 from behind the elements
    order = np.where(places, np.cumsum(places) - 1, count)
    zero = mint.zeros((*vector.shape[:-1], 1), dtype=vector.dtype)
    whole = mint.cat([vector, zero], -1)
    return mint.index_select(whole, whole.ndim - 1, Tensor(order)).reshape((*vector.shape[:-1], n, n))
