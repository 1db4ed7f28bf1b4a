"""`mindspore.mint.linalg` on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mindspore.mint.linalg as _linalg

from .._device_target import IS_CPU
from ._device import public as _public

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_public(_linalg))

if IS_CPU:
    from ._cpu.linalg import inv, matrix_norm, qr, vector_norm  # noqa: F401
    from ._cpu.linalg import linalg_norm as norm  # noqa: F401
