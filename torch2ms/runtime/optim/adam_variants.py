"""NAdam, RAdam and Adamax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars
from .adam import decay_scalars, decayed, moments


def _common(lr: Any, betas: Any, eps: float, weight_decay: float, options: dict[str, Any]) -> dict[str, Any]:
    _check.learning_rate(lr)
    _check.non_negative("epsilon value", eps)
    _check.non_negative("weight_decay value", weight_decay)
    return {"lr": lr, "betas": _check.betas(betas), "eps": eps, "weight_decay": weight_decay, **options}


def _count(state: dict[str, Any], p: Parameter, names: tuple[str, ...]) -> float:
    """Bring the state to the next step and return its number."""
    if "step" not in state:
        state["step"] = _state.Number(0)
        for name in names:
            state[name] = _state.zeros(p)
    state["step"] = _state.Number(state["step"] + 1)
    return float(state["step"])


def _nadam(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, keep, rest1, beta2, rest2, correction, eps, of_gradient, of_average = scalars
    decay, maximize = flags
    p, g = decayed(p, g, weight_decay, keep, decay, maximize)
    exp_avg, exp_avg_sq = moments(g, state, rest1, beta2, rest2)
    denominator = ops.sqrt(exp_avg_sq / correction) + eps
    return p - of_gradient * g / denominator - of_average * exp_avg / denominator, (exp_avg, exp_avg_sq)


class NAdam(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.NAdam.html"""

    rule = staticmethod(_nadam)

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check.non_negative("momentum_decay value", momentum_decay)
        options = {
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, _common(lr, betas, eps, weight_decay, options))

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        step = _count(state, p, ("exp_avg", "exp_avg_sq"))
        beta1, beta2 = group["betas"]
        lr, slowness = _state.number(group["lr"]), group["momentum_decay"]
        momentum, following = (beta1 * (1 - 0.5 * 0.96 ** (n * slowness)) for n in (step, step + 1))
        # PyTorch keeps the product in float32
        product = float(np.float32(state.get("mu_product", 1.0)) * np.float32(momentum))
        state["mu_product"] = _state.Number(product)
        weight_decay, keep, decay = decay_scalars(group, group["decoupled_weight_decay"])
        of_gradient = lr * (1 - momentum) / (1 - product)
        of_average = lr * following / (1 - product * following)
        moments_ = (1 - beta1, beta2, 1 - beta2, 1 - beta2**step)
        return (weight_decay, keep, *moments_, group["eps"], of_gradient, of_average), (decay, group["maximize"])


def _radam(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, keep, rest1, beta2, rest2, correction, eps, lr, factor = scalars
    decay, maximize, rectified = flags
    p, g = decayed(p, g, weight_decay, keep, decay, maximize)
    exp_avg, exp_avg_sq = moments(g, state, rest1, beta2, rest2)
    update = exp_avg / correction * lr
    if rectified:
        update = update * factor / (ops.sqrt(exp_avg_sq) + eps)
    return p - update, (exp_avg, exp_avg_sq)


class RAdam(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.RAdam.html"""

    rule = staticmethod(_radam)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        options = {
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, _common(lr, betas, eps, weight_decay, options))

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        step = _count(state, p, ("exp_avg", "exp_avg_sq"))
        beta1, beta2 = group["betas"]
        correction2 = 1 - beta2**step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / correction2
        rectified = length > 5
        factor = 1.0
        if rectified:
            shrink = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            factor = math.sqrt(correction2) * math.sqrt(shrink)
        weight_decay, keep, decay = decay_scalars(group, group["decoupled_weight_decay"])
        moments_ = (1 - beta1, beta2, 1 - beta2, 1 - beta1**step)
        scalars = (weight_decay, keep, *moments_, group["eps"], _state.number(group["lr"]), factor)
        return scalars, (decay, group["maximize"], rectified)


def _adamax(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, rest1, beta2, eps, size = scalars
    decay, maximize = flags
    p, g = decayed(p, g, weight_decay, weight_decay, decay, maximize)
    exp_avg = state[0] + (g - state[0]) * rest1
    exp_inf = ops.maximum(state[1] * beta2, ops.abs(g) + eps)
    return p - size * exp_avg / exp_inf, (exp_avg, exp_inf)


class Adamax(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adamax.html"""

    rule = staticmethod(_adamax)

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        options = {
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, _common(lr, betas, eps, weight_decay, options))

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_inf")

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        step = _count(state, p, ("exp_avg", "exp_inf"))
        beta1, beta2 = group["betas"]
        weight_decay, _, decay = decay_scalars(group, False)
        size = _state.number(group["lr"]) / (1 - beta1**step)
        return (weight_decay, 1 - beta1, beta2, group["eps"], size), (decay, group["maximize"])
