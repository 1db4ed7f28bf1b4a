"""Factorizations into triangular and orthogonal matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._linalg import qr as _qr
from .._trace import named
from ._matrices import adjoint, symmetric_of, wide

__all__ = ["cholesky", "cholesky_ex", "qr"]


def cholesky(A: Tensor, upper: bool = False) -> Tensor:
    """Return the Cholesky factor of positive definite matrices."""
    x, n = symmetric_of(wide(A), upper), A.shape[-1]
    columns: list[Tensor] = []
    for j in range(n):
        rest = mint.narrow(mint.narrow(x, -2, j, n - j), -1, j, 1)
        if columns:
            done = mint.cat(columns, -1)
            own = mint.narrow(done, -2, j, 1)
            rest = rest - mint.matmul(mint.narrow(done, -2, j, n - j), adjoint(own))
        pivot = mint.narrow(rest, -2, 0, 1)
        if not (ops.stop_gradient(pivot).asnumpy() > 0).all():
            order = f"leading minor of order {j + 1} is not positive-definite"
            raise RuntimeError(f"linalg.cholesky: the factorization could not be completed: {order}")
        column = rest / mint.sqrt(pivot)
        if j:
            column = mint.cat((mint.zeros(tuple(A.shape[:-2]) + (j, 1), dtype=x.dtype), column), -2)
        columns.append(column)
    factor = (mint.cat(columns, -1) if columns else x).astype(A.dtype)
    return adjoint(factor) if upper else factor


class Cholesky(NamedTuple):
    """A Cholesky factor and the zero that says it exists."""

    L: Any
    info: Any


def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Cholesky:
    """Return `cholesky` and a code of no fault; a matrix that is not positive definite raises."""
    return named(Cholesky, (cholesky(A, upper), mint.zeros(tuple(A.shape[:-2]), dtype=mindspore.int32)))


def qr(input: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """Return the QR factorization, complete unless `some`."""
    return _qr(input, "reduced" if some else "complete")
