"""Clipping of the gradients in the `.grad` slots of parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mindspore import Tensor

from ... import _backend, gradients


def _with_gradient(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    every = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p for p in every if _backend.get_grad(p) is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor:
    """Scale the gradients so that their norm is at most `max_norm`; return the norm before."""
    live = _with_gradient(parameters)
    grads, norm = gradients.clip_grad_norm(
        tuple(_backend.get_grad(p) for p in live), max_norm, norm_type, error_if_nonfinite
    )
    for p, g in zip(live, grads):
        _backend.set_grad(p, g)
    return norm


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: Any = None) -> None:
    """Bring every element of the gradients between -clip_value and clip_value."""
    live = _with_gradient(parameters)
    grads = gradients.clip_grad_value(tuple(_backend.get_grad(p) for p in live), clip_value)
    for p, g in zip(live, grads):
        _backend.set_grad(p, g)


def get_total_norm(
    tensors: Tensor | Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    """Return the norm of all tensors together."""
    return gradients.total_norm([tensors] if isinstance(tensors, Tensor) else tensors, norm_type)
