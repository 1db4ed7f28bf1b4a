"""`mindspore.mint.linalg` on every device, with what PyTorch has there beside it."""

from __future__ import annotations

import typing

from . import _linalg, _names
from ._more.factorizations import (  # noqa: F401
    cholesky,
    cond,
    det,
    eigh,
    eigvalsh,
    lstsq,
    matrix_exp,
    matrix_power,
    matrix_rank,
    multi_dot,
    pinv,
    slogdet,
    solve,
    solve_triangular,
    svdvals,
)
from ._more.factorizations import thin_svd as svd  # noqa: F401

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_linalg))
