"""`mindspore.mint.nn.functional` on every device, with what PyTorch has there beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mindspore.mint.nn.functional as _functional

from ..._device_target import IS_CPU
from .._device import public as _public

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_public(_functional))

if IS_CPU:
    from .._cpu.activation import *  # noqa: F403
    from .._cpu.conv import conv1d, conv2d, conv3d, conv_transpose2d  # noqa: F401
    from .._cpu.layout import *  # noqa: F403
    from .._cpu.loss import *  # noqa: F403
    from .._cpu.normalization import batch_norm, group_norm, layer_norm, normalize  # noqa: F401
    from .._cpu.pooling import *  # noqa: F403
    from .._cpu.resampling import *  # noqa: F403
