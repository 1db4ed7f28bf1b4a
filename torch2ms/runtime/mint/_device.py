"""mint's functions for the device at hand: MindSpore's own on Ascend, the CPU kernels in their place on CPU."""

from __future__ import annotations

import typing

from mindspore import mint

from .. import _device_target
from . import _names

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(mint))

if _device_target.IS_CPU:
    from ._cpu.activation import gelu as npu_gelu  # noqa: F401
    from ._cpu.activation import softmax  # noqa: F401
    from ._cpu.arithmetic import *  # noqa: F403
    from ._cpu.bits import *  # noqa: F403
    from ._cpu.conv import conv2d, conv_tbc  # noqa: F401
    from ._cpu.creation import *  # noqa: F403
    from ._cpu.einsum import *  # noqa: F403
    from ._cpu.extremes import *  # noqa: F403
    from ._cpu.indexing import *  # noqa: F403
    from ._cpu.linalg import inverse as inverse
    from ._cpu.linalg import norm as norm
    from ._cpu.linalg import triangular_solve as triangular_solve
    from ._cpu.order import *  # noqa: F403
    from ._cpu.products import *  # noqa: F403
    from ._cpu.reduction import *  # noqa: F403
    from ._cpu.refused import (  # noqa: F401
        addr_,
        batch_norm_elemt,
        batch_norm_gather_stats_with_counts,
        batch_norm_stats,
    )
    from ._cpu.rounding import *  # noqa: F403
    from ._cpu.sampling import *  # noqa: F403
    from ._cpu.scans import *  # noqa: F403
    from ._cpu.sets import *  # noqa: F403
    from ._cpu.shape import *  # noqa: F403
    from ._cpu.transcendental import *  # noqa: F403
