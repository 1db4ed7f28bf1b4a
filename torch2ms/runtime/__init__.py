"""What converted programs import: PyTorch's semantics on MindSpore.

Importing this package runs no MindSpore operation (a process that forks after one hangs) and needs nothing but MindSpore
and numpy. Submodules are loaded when they are first asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _attributes, _pickling, _second_order, _tensor_cpu, _tensor_patches
from ._default_dtype import get_default_dtype, set_default_dtype, set_default_tensor_type
from ._lower import methods as _methods
from .device import default_device
from .function import Function, once_differentiable
from .grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from .gradients import accumulate, backward_into, clip_grad_norm, clip_grad_value
from .random import manual_seed
from .train import grad, value_and_grad, vjp
from .unsupported import unsupported, unsupported_api

_attributes.install()
_pickling.install()
_tensor_patches.install()
_tensor_cpu.install()
_second_order.install()
_methods.install()

_SUBMODULES = (
    "amp",
    "data",
    "device",
    "distributed",
    "distributions",
    "functional",
    "functorch",
    "interop",
    "mint",
    "nn",
    "optim",
    "random",
    "serialization",
    "tape",
    "tensor",
    "vision",
)

__all__ = [
    "Function",
    "accumulate",
    "amp",
    "backward_into",
    "clip_grad_norm",
    "clip_grad_value",
    "data",
    "default_device",
    "device",
    "distributed",
    "distributions",
    "enable_grad",
    "functional",
    "functorch",
    "get_default_dtype",
    "grad",
    "inference_mode",
    "interop",
    "is_grad_enabled",
    "manual_seed",
    "mint",
    "nn",
    "no_grad",
    "once_differentiable",
    "optim",
    "random",
    "serialization",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_grad_enabled",
    "tape",
    "tensor",
    "unsupported",
    "unsupported_api",
    "value_and_grad",
    "vision",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name not in _SUBMODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
