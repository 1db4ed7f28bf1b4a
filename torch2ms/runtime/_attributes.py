"""What a tensor has in PyTorch, lacks in MindSpore, and can not get in any form but as an attribute.

`grad`, `requires_grad`, `is_leaf` and `retain_grad` serve loops that read them; `device` answers `.type` also where only
the run tells that it is a tensor's; a shallow copy shares the storage (MindSpore's own is a full one); a deepcopy owns its
data also where the tensor is somewhere inside of what is copied (MindSpore's own is an alias).
"""

from __future__ import annotations

import copy
import weakref
from typing import Any

from mindspore import Parameter, Tensor

from . import _backend
from .device import Device, default_device


def _get_grad(self: Tensor) -> Tensor | None:
    """The gradient that was accumulated for this tensor, or None."""
    return _backend.get_grad(self)


def _set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is not None and value.shape != self.shape:
        raise RuntimeError(f"assigned grad has data of a different size: {value.shape} for {self.shape}")
    _backend.set_grad(self, value)


def _del_grad(self: Tensor) -> None:
    _backend.set_grad(self, None)


def _get_requires_grad(self: Tensor) -> bool:
    """Whether the tensor takes part in a gradient."""
    return _backend.requires_grad(self)


def _set_requires_grad(self: Tensor, value: bool) -> None:
    if value and not _backend.is_differentiable(self):
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    if not value and not _backend.is_leaf(self):
        raise RuntimeError("you can only change requires_grad flags of leaf variables.")
    _backend.set_requires_grad(self, value)


def _is_leaf(self: Tensor) -> bool:
    """Whether the tensor is no result of a recorded operation."""
    return _backend.is_leaf(self)


def _retain_grad(self: Tensor) -> None:
    """Keep the gradient of this intermediate result in `.grad`."""
    if not _backend.requires_grad(self):
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    if _backend.is_leaf(self):
        return
    reference = weakref.ref(self)

    def keep(gradient: Tensor) -> None:
        tensor = reference()
        if tensor is not None:
            before = _backend.get_grad(tensor)
            _backend.set_grad(tensor, gradient if before is None else before + gradient)

    self.register_hook(keep)


def _device(self: Tensor) -> Device:
    """The device that MindSpore computes on."""
    return default_device()


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    with _backend.grad_mode(False):
        clone = self.copy()
    if _backend.is_leaf(self) and _backend.requires_grad(self):
        _backend.set_requires_grad(clone)
    memo[id(self)] = clone
    return clone


def _copy(self: Tensor) -> Tensor:
    if isinstance(self, Parameter):
        return copy.deepcopy(self)  # no Parameter can share its storage
    return self[...]


def install() -> None:
    """Give MindSpore's Tensor these attributes; Parameter keeps its own `requires_grad` and deepcopy."""
    Tensor.grad = property(_get_grad, _set_grad, _del_grad)
    Tensor.requires_grad = property(_get_requires_grad, _set_requires_grad)
    Tensor.is_leaf = property(_is_leaf)
    Tensor.retain_grad = _retain_grad
    Tensor.device = property(_device)
    own = Tensor.__deepcopy__
    Tensor.__copy__ = _copy
    if "__deepcopy__" not in Parameter.__dict__:
        Parameter.__deepcopy__ = own
    Tensor.__deepcopy__ = _deepcopy
