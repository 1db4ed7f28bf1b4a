"""The state of optimizers: tensors, numbers, and their form in a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, ops

from .. import _backend

# numbers that PyTorch keeps as tensors with one element; here they stay on the host, where they are needed
_COUNTERS = ("step", "mu_product", "eta", "mu")


class Number(float):
    """A float of the state that PyTorch keeps as a float32 tensor."""


def pack(value: Any) -> Any:
    """Return a value of the state as PyTorch would hold it."""
    if isinstance(value, Number):
        return Tensor(np.float32(value))
    if isinstance(value, dict):
        return {k: pack(v) for k, v in value.items()}
    return value


def unpack(owner: Tensor | None, value: Any, key: Any = None) -> Any:
    """Return a value of a checkpoint as the optimizer holds it: counters on the host, tensors copied in owner's dtype."""
    if key in _COUNTERS and isinstance(value, (Tensor, np.ndarray, int, float)):
        return Number(float(value))
    if isinstance(value, Tensor):
        return _copy(owner, value)
    if isinstance(value, dict):
        return {k: unpack(owner, v, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(unpack(owner, v) for v in value)
    return value


def _copy(owner: Tensor | None, value: Tensor) -> Tensor:
    cast = owner is not None and _backend.is_differentiable(owner) and _backend.is_differentiable(value)
    with _backend.grad_mode(False):
        fresh = value.astype(owner.dtype) if cast and value.dtype != owner.dtype else value.copy()  # type: ignore[union-attr]
    return as_state(fresh)


def as_state(value: Tensor) -> Parameter:
    """Return a tensor of the state in the form that a compiled update can write to."""
    return Parameter(value, requires_grad=False, name="state")


def zeros(like: Tensor) -> Parameter:
    """Return a state tensor of zeros."""
    return as_state(ops.zeros_like(like))


def full(like: Tensor, value: float) -> Parameter:
    """Return a state tensor that holds `value` everywhere."""
    return as_state(Tensor(np.full(like.shape, value), like.dtype))


def compute_dtype(dtype: Any) -> Any:
    """Return the dtype in which an update is computed: half precisions in float32."""
    return mindspore.float32 if dtype in (mindspore.float16, mindspore.bfloat16) else dtype


def number(value: Any) -> float:
    """Return an option that may be a tensor with one element."""
    return float(value)


class Handle:
    """Removes a hook again."""

    def __init__(self, hooks: dict[object, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        self._hooks = hooks
        hooks[self] = hook

    def remove(self) -> None:
        """Take the hook out."""
        self._hooks.pop(self, None)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()
