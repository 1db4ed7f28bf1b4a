"""`mindspore.mint.special` on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mindspore.mint.special as _special

from .._device_target import IS_CPU
from ._device import public as _public

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_public(_special))

if IS_CPU:
    from ._cpu.activation import log_softmax  # noqa: F401
    from ._cpu.arithmetic import round  # noqa: F401
    from ._cpu.transcendental import erfc, exp2, expm1, log1p  # noqa: F401
