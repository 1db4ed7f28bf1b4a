"""`mindspore.mint` on every device.

On Ascend these are MindSpore's own functions; on CPU the same names run on kernels composed from operations that exist
there, with PyTorch's values, dtypes and gradients. What PyTorch has and mint lacks stands here under PyTorch's name.
https://www.mindspore.cn/docs/en/master/api_python/mindspore.mint.html
"""

from __future__ import annotations

import typing

from .._lower import lifting as _lifting
from . import _device, _names
from ._more.arrangement import *  # noqa: F403
from ._more.determinants import *  # noqa: F403
from ._more.factors import cholesky, qr  # noqa: F401
from ._more.lu import lu_pairs, lu_solve_pairs, lu_unpack  # noqa: F401
from ._more.native import *  # noqa: F403
from ._more.numeric import (  # noqa: F401
    angle,
    complex,
    conj,
    digamma,
    fmax,
    fmin,
    frexp,
    i0,
    lgamma,
    logit,
    mvlgamma,
    polygamma,
    sgn,
    view_as_complex,
    view_as_real,
)
from ._more.placing import *  # noqa: F403
from ._more.powers import matrix_exp, matrix_power  # noqa: F401
from ._more.promoted import *  # noqa: F403
from ._more.reducing import *  # noqa: F403
from ._more.reflections import geqrf, ormqr  # noqa: F401
from ._more.shifts import *  # noqa: F403
from ._more.spectra import pca_lowrank, pinverse, svd, svd_lowrank  # noqa: F401
from ._more.statistics import *  # noqa: F403
from ._more.systems import cholesky_inverse  # noqa: F401
from ._more.types import *  # noqa: F403
from ._more.windows import *  # noqa: F403

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_device))
globals().update(_lifting.lift_functions(globals()))

from . import fft, linalg, masked, nn, signal, special  # noqa: E402, F401
from ._more.short_time import istft, stft  # noqa: E402, F401
