"""Writes that reach every tensor with the same storage, and the base of a view with another value in the view's place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import _backend, mint
from ..function import Function


def write(tensor: Any, index: Any, value: Any) -> Any:
    """`tensor[index] = value`, also where the tensor is a view and the index a mask, a list or `...`; returns `tensor`.

    MindSpore's own assignment by such an index leaves the base of a view as it was. What is no tensor is written to by
    its own `__setitem__`.

    Raises:
        NotImplementedError: a gradient runs through the tensor or the value, and would not see the write.
    """
    if not isinstance(tensor, Tensor):
        tensor[index] = value
        return tensor
    if _backend.is_recording() and any(isinstance(t, Tensor) and _backend.requires_grad(t) for t in (tensor, value)):
        raise NotImplementedError("a write that reaches the base of a view has no gradient: compute a new tensor")
    new = tensor.copy()
    new[index] = value
    if new.size:
        tensor[()] = new
    return tensor


def assign(tensor: Tensor, value: Any) -> Tensor:
    """`tensor.data.copy_(value)`, also where the tensor is a view, to which `ops.assign` refuses to write; returns `tensor`."""
    if tensor.size:
        with _backend.grad_mode(False):
            tensor[()] = value
    return tensor


def replaced(base: Tensor, view: Callable[[Tensor], Tensor] | Any, value: Any) -> Tensor:
    """`base` with `value` in the place that `view(base)` shows, or `base[view]` for an index; gradients reach both.

    `view` is made of view operations only; `value` is broadcast to the shape of the view.
    """
    places = Tensor(np.arange(base.size).reshape(base.shape))
    if base.ndim == 0 and isinstance(view, Tensor):
        # MindSpore takes no mask on a tensor without dimensions
        places, view = places.reshape(1), view.reshape(1)
    places = view(places) if callable(view) and not isinstance(view, Tensor) else places[view]
    if places.size == 0:
        return base
    new = value if isinstance(value, Tensor) else mindspore.tensor(value)
    new = mint.broadcast_to(new.to(base.dtype), places.shape).reshape(-1)
    return mint.scatter(base.reshape(-1), 0, places.reshape(-1), new).view(base.shape)


def overwritten(base: Tensor, new: Tensor) -> Tensor:
    """The values of `new` under the graph of `base`: what a write under no_grad or through `detach()` makes of a tensor.

    The gradient goes to `base` as if nothing had been written, none goes to `new`.
    """
    if not _backend.requires_grad(base):
        return mindspore.ops.stop_gradient(new)
    with _backend.grad_mode(True):
        result: Tensor = _Overwritten.apply(base, new)
    return result


class _Overwritten(Function):
    """The second of two tensors, with the gradient of the first."""

    @staticmethod
    def forward(ctx: Any, base: Tensor, new: Tensor) -> Tensor:
        return new.copy()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient, None
