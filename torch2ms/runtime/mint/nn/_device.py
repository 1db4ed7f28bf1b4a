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
    from .._cpu.conv import conv1d as conv1d
    from .._cpu.conv import conv2d as conv2d
    from .._cpu.conv import conv3d as conv3d
    from .._cpu.conv import conv_transpose2d as conv_transpose2d
    from .._cpu.layout import *  # noqa: F403
    from .._cpu.loss import *  # noqa: F403
    from .._cpu.normalization import *  # noqa: F403
    from .._cpu.pooling import *  # noqa: F403
    from .._cpu.refused import elu_, hardtanh_, relu_, sigmoid_, threshold_  # noqa: F401
    from .._cpu.resampling import *  # noqa: F403
