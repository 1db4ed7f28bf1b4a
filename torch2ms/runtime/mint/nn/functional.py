"""`mindspore.mint.nn.functional` on every device, with what PyTorch has there beside it."""

from __future__ import annotations

import typing

from ..._lower import lifting as _lifting
from .. import _names
from .._more.activation import *  # noqa: F403
from .._more.attention import *  # noqa: F403
from .._more.bags import *  # noqa: F403
from .._more.ctc import *  # noqa: F403
from .._more.image import *  # noqa: F403
from .._more.loss import *  # noqa: F403
from .._more.pooling import *  # noqa: F403
from . import _device

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...


globals().update(_names.public(_device))
globals().update(_lifting.lift_functions(globals()))
