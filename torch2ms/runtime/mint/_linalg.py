"""mint.linalg's functions for the device at hand."""

from __future__ import annotations

import typing

import mindspore.mint.linalg as _mint_linalg

from .. import _device_target
from . import _names

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_mint_linalg))

if _device_target.IS_CPU:
    from ._cpu.linalg import inv as inv
    from ._cpu.linalg import linalg_norm
    from ._cpu.linalg import matrix_norm as matrix_norm
    from ._cpu.linalg import qr as qr
    from ._cpu.norms import vector_norm as vector_norm

    norm = linalg_norm
