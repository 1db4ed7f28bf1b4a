"""`mindspore.mint.special` on every device."""

from __future__ import annotations

import typing

import mindspore.mint.special as _mint_special

from .. import _device_target
from .._lower import lifting as _lifting
from . import _names
from ._more.bessel import *  # noqa: F403
from ._more.numeric import digamma, entr, i0, logit, ndtr, polygamma, xlog1py  # noqa: F401
from ._more.numeric import digamma as psi  # noqa: F401
from ._more.numeric import lgamma as gammaln  # noqa: F401
from ._more.polynomials import *  # noqa: F403

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_mint_special))

if _device_target.IS_CPU:
    from ._cpu.activation import log_softmax  # noqa: F401
    from ._cpu.arithmetic import sinc  # noqa: F401
    from ._cpu.rounding import round_to_integer as round  # noqa: F401
    from ._cpu.transcendental import erfc, exp2, expm1, log1p  # noqa: F401
    globals().update(_lifting.lift_functions(globals()))
