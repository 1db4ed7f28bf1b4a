"""`mindspore.mint.linalg` on every device."""

from __future__ import annotations

import typing

import mindspore.mint.linalg as _mint_linalg

from .. import _device_target
from . import _names

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_mint_linalg))

if _device_target.IS_CPU:
    from ._cpu.linalg import inv, matrix_norm, qr  # noqa: F401
    from ._cpu.linalg import linalg_norm as norm  # noqa: F401
    from ._cpu.norms import vector_norm  # noqa: F401
