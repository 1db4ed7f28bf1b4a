"""mint.nn.functional's functions for the device at hand."""

from __future__ import annotations

import typing

import mindspore.mint.nn.functional as _mint_functional

from ... import _device_target
from .. import _names

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_mint_functional))

if _device_target.IS_CPU:
    from .._cpu.activation import *  # noqa: F403
    from .._cpu.conv import *  # noqa: F403
    from .._cpu.layout import *  # noqa: F403
    from .._cpu.loss import *  # noqa: F403
    from .._cpu.normalization import batch_norm, group_norm, layer_norm, normalize  # noqa: F401
    from .._cpu.pooling import *  # noqa: F403
    from .._cpu.resampling import *  # noqa: F403
