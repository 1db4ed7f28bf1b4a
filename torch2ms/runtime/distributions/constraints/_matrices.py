"""Sets of probabilities and of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._sets import Constraint, all_last


class _Simplex(Constraint):
    event_dim = 1

    def holds(self, value: np.ndarray) -> Any:
        return (value >= 0).all(-1) & (np.abs(value.sum(-1) - 1) < 1e-6)


class _LowerTriangular(Constraint):
    event_dim = 2

    def holds(self, value: np.ndarray) -> Any:
        return all_last(np.tril(value) == value, 2)


class _LowerCholesky(_LowerTriangular):
    def holds(self, value: np.ndarray) -> Any:
        return super().holds(value) & (np.diagonal(value, axis1=-2, axis2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def holds(self, value: np.ndarray) -> Any:
        # ten roundings for each element of a row
        tolerance = np.finfo(value.dtype).eps * value.shape[-1] * 10
        lengths = np.sqrt((value * value).sum(-1))
        return (np.abs(lengths - 1) < tolerance).all(-1) & super().holds(value)


class _Square(Constraint):
    event_dim = 2

    def holds(self, value: np.ndarray) -> Any:
        return np.full(value.shape[:-2], value.shape[-2] == value.shape[-1])


class _Symmetric(_Square):
    def holds(self, value: np.ndarray) -> Any:
        square = super().holds(value)
        return square & all_last(np.isclose(value, np.swapaxes(value, -2, -1), atol=1e-6), 2) if square.all() else square


class _PositiveSemidefinite(_Symmetric):
    def holds(self, value: np.ndarray) -> Any:
        symmetric = super().holds(value)
        return symmetric & (np.linalg.eigvalsh(value) >= 0).all(-1) if symmetric.all() else symmetric


class _PositiveDefinite(_Symmetric):
    def holds(self, value: np.ndarray) -> Any:
        symmetric = super().holds(value)
        if not symmetric.all():
            return symmetric
        found = [_has_factor(matrix) for matrix in value.reshape(-1, *value.shape[-2:])]
        return np.array(found, np.bool_).reshape(value.shape[:-2])


def _has_factor(matrix: np.ndarray) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True
