"""What happens to gradients between the backward pass and the step: accumulation, clipping, `.grad` slots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from mindspore import Parameter, Tensor, ops

from . import _backend
from ._default_dtype import get_default_dtype
from ._lower.lifting import on_cpu

Gradients = tuple[Tensor | None, ...]


def accumulate(total: Gradients | None, grads: Gradients) -> Gradients:
    """Return the sum of two tuples of gradients; None for `total` stands for no gradients yet, inside for none."""
    if total is None:
        return grads
    if len(total) != len(grads):
        raise ValueError(f"gradients of {len(total)} and of {len(grads)} parameters can not be added")
    with _backend.grad_mode(False):
        return tuple(b if a is None else a if b is None else a + b for a, b in zip(total, grads))


def total_norm(grads: Iterable[Tensor], norm_type: float = 2.0) -> Tensor:
    """Return the norm of all gradients together, a tensor with one element; inf is the largest magnitude."""
    live = list(grads)
    return _norm_of(live, float(norm_type)) if live else Tensor(0.0, get_default_dtype())


@on_cpu
def _norm_of(live: list[Tensor], norm_type: float) -> Tensor:
    dtype = live[0].dtype
    if norm_type == float("inf"):
        return ops.stack([g.abs().max().astype(dtype) for g in live]).max()
    if norm_type == 2.0:
        return _sum([(g * g).sum().astype(dtype) for g in live]).sqrt()
    if norm_type == 1.0:
        return _sum([g.abs().sum().astype(dtype) for g in live])
    if norm_type == 0.0:
        return _sum([(g != 0).astype(dtype).sum() for g in live])
    power = Tensor(norm_type, dtype)
    return _sum([(g.abs() ** power.astype(g.dtype)).sum().astype(dtype) for g in live]) ** (1 / power)


def _sum(values: Sequence[Tensor]) -> Tensor:
    return ops.stack(list(values)).sum()


@on_cpu
def _ratio(norm: Tensor, max_norm: float) -> Tensor:
    ratio = Tensor(max_norm, norm.dtype) / (norm + Tensor(1e-6, norm.dtype))
    # not clamp: a norm that is nan makes all gradients nan, as in PyTorch
    return ops.where(ratio > 1, ops.ones_like(ratio), ratio)


def clip_grad_norm(
    grads: Gradients, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> tuple[Gradients, Tensor]:
    """Scale the gradients so that their norm is at most `max_norm`; return them and the norm before.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html

    Raises:
        RuntimeError: the norm is not finite and `error_if_nonfinite` is set.
    """
    with _backend.grad_mode(False):
        norm = total_norm((g for g in grads if g is not None), norm_type)
        if error_if_nonfinite and not math.isfinite(float(norm)):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients is non-finite, so it can't be clipped"
            )
        ratio = _ratio(norm, max_norm)
        return tuple(None if g is None else g * ratio.astype(g.dtype) for g in grads), norm


def clip_grad_value(grads: Gradients, clip_value: float) -> Gradients:
    """Return the gradients with every element between -clip_value and clip_value."""
    limit = float(clip_value)
    with _backend.grad_mode(False):
        return tuple(None if g is None else _within(g, limit) for g in grads)


@on_cpu
def _within(g: Tensor, limit: float) -> Tensor:
    # not clamp, whose CPU kernel makes a number of nan
    low, high = Tensor(-limit, g.dtype), Tensor(limit, g.dtype)
    return ops.where(g < low, low, ops.where(g > high, high, g))


def backward_into(weights: Iterable[Parameter], value: Any, grads: Gradients) -> Any:
    """Add the gradients to the `.grad` slots of the weights and return `value`; a weight listed twice counts once."""
    once = {id(p): (p, g) for p, g in zip(weights, grads)}
    with _backend.grad_mode(False):
        for p, g in once.values():
            if g is not None:
                _backend.set_grad(p, g if _backend.get_grad(p) is None else _backend.get_grad(p) + g)
    return value
