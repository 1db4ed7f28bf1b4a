"""Rprop and ASGD."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars
from .adam import decayed


def _rprop(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    smaller, larger, low, high, one, zero = scalars
    (maximize,) = flags
    if maximize:
        g = -g
    agreement = g * state[0]
    factor = ops.where(agreement > zero, larger, ops.where(agreement < zero, smaller, one))
    size = ops.minimum(ops.maximum(state[1] * factor, low), high)
    g = ops.where(agreement < zero, zero, g)
    return p - ops.sign(g) * size, (g, size)


class Rprop(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Rprop.html"""

    rule = staticmethod(_rprop)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check.learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr,
                "etas": etas,
                "step_sizes": step_sizes,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("prev", "step_size")

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        if "step" not in state:
            state["step"] = _state.Number(0)
            state["prev"], state["step_size"] = _state.zeros(p), _state.full(p, _state.number(group["lr"]))
        state["step"] = _state.Number(state["step"] + 1)
        return (*map(float, group["etas"]), *map(float, group["step_sizes"]), 1.0, 0.0), (group["maximize"],)


def _asgd(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, keep, eta, share = scalars
    decay, maximize, averages = flags
    undecayed, g = decayed(p, g, weight_decay, weight_decay, decay, maximize)
    p = undecayed * keep - g * eta
    if averages:
        average = state[0] + (p - state[0]) * share
    else:
        average = p
    return p, (average,)


class ASGD(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.ASGD.html"""

    rule = staticmethod(_asgd)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        _check.learning_rate(lr)
        _check.non_negative("weight_decay value", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "lambd": lambd,
                "alpha": alpha,
                "t0": t0,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "capturable": capturable,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax",)

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        lr, lambd = _state.number(group["lr"]), group["lambd"]
        if "step" not in state:
            state["step"], state["eta"], state["mu"] = _state.Number(0), _float32(lr), _state.Number(1)
            state["ax"] = _state.zeros(p)
        state["step"] = step = _state.Number(state["step"] + 1)
        eta, share = float(state["eta"]), float(state["mu"])
        # these serve the next step; PyTorch keeps them in float32
        state["eta"] = _float32(lr / (1 + lambd * lr * step) ** group["alpha"])
        state["mu"] = _float32(1 / max(1, step - group["t0"]))
        weight_decay = group["weight_decay"]
        scalars = (weight_decay, 1 - lambd * eta, eta, share)
        return scalars, (int(weight_decay != 0), group["maximize"], share != 1)


def _float32(value: float) -> _state.Number:
    return _state.Number(np.float32(value))
