"""Sparse matrices in coordinate form, for products with dense ones: what graph networks do with an adjacency matrix.

https://pytorch.org/docs/stable/sparse.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from . import mint


class SparseMatrix:
    """Numbers at (row, column) places of a matrix; a place given twice holds the sum.

    It is no Tensor: whatever is not defined here raises, as no operation of MindSpore takes it.
    """

    def __init__(self, indices: Tensor, values: Tensor, shape: tuple[int, int]) -> None:
        self.places, self.entries, self.shape = indices, values, shape

    @property
    def dtype(self) -> Any:
        """The data type of the numbers."""
        return self.entries.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions, 2."""
        return 2

    def dim(self) -> int:
        """Return the number of dimensions, 2."""
        return 2

    def t(self) -> SparseMatrix:
        """Return the transposed matrix."""
        return SparseMatrix(mint.flip(self.places, (0,)), self.entries, (self.shape[1], self.shape[0]))

    def float(self) -> SparseMatrix:
        """Return the matrix with float32 numbers."""
        return SparseMatrix(self.places, self.entries.float(), self.shape)

    def _indices(self) -> Tensor:
        """Return the places of the numbers, (2, entries)."""
        return self.places

    def _values(self) -> Tensor:
        """Return the numbers, (entries,)."""
        return self.entries

    def matmul(self, other: Any) -> Tensor:
        """Return the product with a dense matrix."""
        return mm(self, other)

    def mm(self, mat2: Any) -> Tensor:
        """Return the product with a dense matrix."""
        return mm(self, mat2)

    def __matmul__(self, dense: Any) -> Tensor:
        return mm(self, dense)

    def __repr__(self) -> str:
        return f"SparseMatrix(shape={self.shape}, entries={self.entries.shape[0]}, dtype={self.dtype})"


def coo_tensor(indices: Any, values: Any, size: Sequence[int] | None = None, *, dtype: Any = None) -> SparseMatrix:
    """Build a matrix from `indices` (2, entries) and `values` (entries,); without a size the largest indices tell it.

    Other numbers of dimensions raise NotImplementedError, indices outside the matrix RuntimeError.
    """
    places = indices if isinstance(indices, Tensor) else Tensor(np.asarray(indices, np.int64))
    entries = values if isinstance(values, Tensor) else mindspore.tensor(values)
    if places.ndim != 2 or places.shape[0] != 2 or entries.ndim != 1:
        raise NotImplementedError("only sparse matrices are supported: indices of shape (2, entries), values (entries,)")
    if places.shape[1] != entries.shape[0]:
        raise RuntimeError(f"indices name {places.shape[1]} places, but there are {entries.shape[0]} values")
    seen = places.asnumpy()
    shape = tuple(int(n) for n in size) if size is not None else tuple(int(n) + 1 for n in seen.max(1))
    if len(shape) != 2:
        raise NotImplementedError(f"only sparse matrices are supported, not the size {shape}")
    if seen.size and (seen.min() < 0 or (seen >= np.array([[shape[0]], [shape[1]]])).any()):
        raise RuntimeError(f"an index lies outside the size {shape}")
    return SparseMatrix(places.long(), entries if dtype is None else entries.astype(dtype), (shape[0], shape[1]))


def mm(mat1: SparseMatrix | Tensor, mat2: Tensor) -> Tensor:
    """Multiply a sparse (or dense) matrix (n, m) with a dense one (m, p); gradients reach the numbers of both."""
    if not isinstance(mat1, SparseMatrix):
        return mint.mm(mat1, mat2)
    if not isinstance(mat2, Tensor) or mat2.ndim != 2 or mat1.shape[1] != mat2.shape[0]:
        shown = tuple(mat2.shape) if isinstance(mat2, Tensor) else type(mat2).__name__
        raise RuntimeError(f"a sparse matrix of shape {mat1.shape} cannot be multiplied with {shown}")
    terms = mint.index_select(mat2, 0, mat1.places[1]) * mat1.entries.unsqueeze(1)
    return mint.index_add(mint.zeros((mat1.shape[0], mat2.shape[1]), dtype=terms.dtype), 0, mat1.places[0], terms)


def to_dense(x: SparseMatrix | Tensor, dtype: Any = None) -> Tensor:
    """Return a sparse matrix as a tensor, a tensor as itself; `dtype` changes the numbers."""
    if isinstance(x, SparseMatrix):
        flat = mint.zeros((x.shape[0] * x.shape[1],), dtype=x.dtype)
        x = mint.index_add(flat, 0, x.places[0] * x.shape[1] + x.places[1], x.entries).reshape(x.shape)
    return x if dtype is None else x.astype(dtype)
