"""RMSprop."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars
from .adam import decayed

_adam_w = ops.AdamWeightDecay()


def _rule(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, lr, alpha, rest, eps, momentum, zero = scalars
    decay, maximize, centered, has_momentum, _ = flags
    p, g = decayed(p, g, weight_decay, weight_decay, decay, maximize)
    square_avg = state[0] * alpha + g * g * rest
    average = state[-1] + (g - state[-1]) * rest
    variance = square_avg - average * average if centered else square_avg
    root = ops.sqrt(variance) + eps
    extra = (average,) if centered else ()
    if has_momentum:
        buffer = state[1] * momentum + g / root
        return p - buffer * lr, (square_avg, buffer, *extra)
    return p - lr * g / root, (square_avg, *extra)


def _fused(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    """Adam's kernel with a first moment that is the gradient itself: `p - lr * g / (sqrt(square_avg) + eps)`."""
    decay, maximize, centered, has_momentum, near = flags
    if p is None:
        return near and not centered and not has_momentum
    weight_decay, lr, alpha, eps, zero = scalars
    if maximize:
        g = -g
    if decay == 1:
        g = g + p * weight_decay
    # the kernel adds g - m to m, which is g to the last bit where m is g
    ops.assign(state[-1], g)
    _adam_w(p, state[-1], state[0], lr, zero, alpha, eps, zero, g)
    return True


class RMSprop(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html"""

    rule = staticmethod(_rule)
    fused = staticmethod(_fused)
    fused_scalars = (0, 1, 2, 4, 6)
    fused_needs_room = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check.learning_rate(lr)
        _check.non_negative("epsilon value", eps)
        _check.non_negative("momentum value", momentum)
        _check.non_negative("weight_decay value", weight_decay)
        _check.non_negative("alpha value", alpha)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "alpha": alpha,
                "eps": eps,
                "centered": centered,
                "weight_decay": weight_decay,
                "capturable": capturable,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
        return ("square_avg", *momentum, *(("grad_avg",) if group["centered"] else ()))

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        for name in self.tensor_names(group):
            if name not in state:
                state[name] = _state.zeros(p)
        state["step"] = _state.Number(state.get("step", 0) + 1)
        alpha, weight_decay, momentum = group["alpha"], group["weight_decay"], group["momentum"]
        scalars = (weight_decay, _state.number(group["lr"]), alpha, 1 - alpha, group["eps"], momentum, 0.0)
        # the kernel computes 1 - alpha in float32, where an alpha close to 1 loses digits
        near = abs(float(np.float32(1) - np.float32(alpha)) - (1 - alpha)) <= 4e-6 * (1 - alpha)
        return scalars, (int(weight_decay != 0), group["maximize"], group["centered"], momentum > 0, near)
