"""Adam and AdamW."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars

_adam = ops.Adam()
_adam_w = ops.AdamWeightDecay()


def decayed(p, g, weight_decay, keep, decay, maximize):  # type: ignore[no-untyped-def]
    """Return parameter and gradient after weight decay: none (0), added to the gradient (1), or decoupled (2)."""
    if maximize:
        g = -g
    if decay == 1:
        g = g + p * weight_decay
    if decay == 2:
        p = p * keep
    return p, g


def moments(g, state, rest1, beta2, rest2):  # type: ignore[no-untyped-def]
    """Return the new running averages of the gradient and of its square."""
    return state[0] + (g - state[0]) * rest1, state[1] * beta2 + g * g * rest2


def decay_scalars(group: dict[str, Any], decoupled: bool) -> tuple[float, float, int]:
    """Return the weight decay, the factor of the decoupled one, and which of them applies."""
    weight_decay = _state.number(group["weight_decay"])
    kind = 0 if weight_decay == 0 else 2 if decoupled else 1
    return weight_decay, 1 - _state.number(group["lr"]) * weight_decay, kind


def _rule(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, keep, beta1, rest1, beta2, rest2, root, eps, size, zero, kernel_eps, kernel_size, kernel_decay = (
        scalars
    )
    decay, amsgrad, maximize = flags
    p, g = decayed(p, g, weight_decay, keep, decay, maximize)
    exp_avg, exp_avg_sq = moments(g, state, rest1, beta2, rest2)
    if amsgrad:
        largest = ops.maximum(state[2], exp_avg_sq)
        return p - size * exp_avg / (ops.sqrt(largest) / root + eps), (exp_avg, exp_avg_sq, largest)
    return p - size * exp_avg / (ops.sqrt(exp_avg_sq) / root + eps), (exp_avg, exp_avg_sq)


def _fused(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    decay, amsgrad, maximize = flags
    if p is None:
        return not amsgrad
    weight_decay, beta1, beta2, zero, kernel_eps, kernel_size, kernel_decay = scalars
    if maximize:
        g = -g
    if decay == 1:
        g = g + p * weight_decay
    if decay == 2:
        _adam_w(p, state[0], state[1], kernel_size, beta1, beta2, kernel_eps, kernel_decay, g)
    else:
        _adam(p, state[0], state[1], zero, zero, kernel_size, beta1, beta2, kernel_eps, g)
    return True


class Adam(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html"""

    rule = staticmethod(_rule)
    fused = staticmethod(_fused)
    fused_scalars = (0, 2, 4, 9, 10, 11, 12)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        _check.learning_rate(lr)
        _check.non_negative("epsilon value", eps)
        _check.non_negative("weight_decay value", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": _check.betas(betas),
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
                "foreach": foreach,
                "capturable": capturable,
                "differentiable": differentiable,
                "fused": fused,
                "decoupled_weight_decay": decoupled_weight_decay,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")[: 3 if group["amsgrad"] else 2]

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        if "step" not in state:
            state["step"] = _state.Number(0)
            state["exp_avg"], state["exp_avg_sq"] = _state.zeros(p), _state.zeros(p)
        if group["amsgrad"] and "max_exp_avg_sq" not in state:
            state["max_exp_avg_sq"] = _state.zeros(p)
        state["step"] = _state.Number(state["step"] + 1)
        weight_decay, keep, decay = decay_scalars(group, group["decoupled_weight_decay"])
        numbers = _scalars(*group["betas"], _state.number(group["lr"]), group["eps"], float(state["step"]))
        # the kernel multiplies its decay with the size of the step
        kernel_decay = (1 - keep) / numbers[-1] if numbers[-1] else 0.0
        scalars = (weight_decay, keep, *numbers, kernel_decay)
        return scalars, (decay, group["amsgrad"], group["maximize"])


@functools.lru_cache(maxsize=64)
def _scalars(beta1: float, beta2: float, lr: float, eps: float, step: float) -> Scalars:
    size, root = lr / (1 - beta1**step), math.sqrt(1 - beta2**step)
    # the kernel computes 1 - beta2 in float32; bias correction for the beta that it so uses keeps the step exact
    used = 1 - float(np.float32(1) - np.float32(beta2))
    kernel_root = math.sqrt(1 - used**step)
    return (beta1, 1 - beta1, beta2, 1 - beta2, root, eps, size, 0.0, eps * kernel_root, size * kernel_root)


class AdamW(Adam):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html"""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
