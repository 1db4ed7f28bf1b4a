"""`mindspore.mint.nn` on every device: subclasses of mint's layers, born in training mode, with PyTorch's initial values.

Layers that PyTorch has and mint lacks stand here under PyTorch's name.
"""

from __future__ import annotations

import typing

from . import functional  # noqa: F401
from ._layers import arguments as _arguments
from ._layers.activation import *  # noqa: F403
from ._layers.conv import *  # noqa: F403
from ._layers.dropout import *  # noqa: F403
from ._layers.linear import *  # noqa: F403
from ._layers.linear_loss import *  # noqa: F403
from ._layers.loss import *  # noqa: F403
from ._layers.norm import *  # noqa: F403
from ._layers.padding import *  # noqa: F403
from ._layers.pooling import *  # noqa: F403

for _class in [value for value in globals().values() if isinstance(value, type)]:
    _arguments.take_all(_class)

if typing.TYPE_CHECKING:

    def __getattr__(name: str) -> typing.Any: ...
