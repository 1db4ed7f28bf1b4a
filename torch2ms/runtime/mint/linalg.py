"""`mindspore.mint.linalg` on every device, with what PyTorch has there beside it."""

from __future__ import annotations

import typing

from .._lower import lifting as _lifting
from . import _linalg, _names
from ._more.determinants import det, slogdet  # noqa: F401
from ._more.factors import cholesky, cholesky_ex  # noqa: F401
from ._more.lu import lu, lu_factor, lu_factor_ex, lu_solve  # noqa: F401
from ._more.powers import *  # noqa: F403
from ._more.promoted import vecdot  # noqa: F401
from ._more.reflections import householder_product  # noqa: F401
from ._more.spectra import cond, eigh, eigvalsh, matrix_rank, pinv, svdvals  # noqa: F401
from ._more.spectra import thin_svd as svd  # noqa: F401
from ._more.systems import *  # noqa: F403

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_linalg))
globals().update(_lifting.lift_functions(globals()))
