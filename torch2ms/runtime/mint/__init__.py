"""`mindspore.mint` on every device.

On Ascend these are MindSpore's own functions; on CPU the same names run on kernels composed from operations that exist
there, with PyTorch's values, dtypes and gradients. What PyTorch has and mint lacks stands here under PyTorch's name.
https://www.mindspore.cn/docs/en/master/api_python/mindspore.mint.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _device

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_device.public(_device))
for _name in ("public", "annotations", "IS_CPU", "TYPE_CHECKING", "Any", "ModuleType"):
    globals().pop(_name, None)

from . import linalg, nn, special  # noqa: E402, F401
