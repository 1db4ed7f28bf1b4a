"""Adagrad and Adadelta."""

from __future__ import annotations

import functools
from typing import Any

from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars
from .adam import decayed


def _adagrad(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, eps, size = scalars
    decay, maximize, _ = flags
    p, g = decayed(p, g, weight_decay, weight_decay, decay, maximize)
    total = state[0] + g * g
    return p - size * g / (ops.sqrt(total) + eps), (total,)


@functools.cache
def _kernel(eps: float) -> Any:
    return ops.ApplyAdagradV2(eps)


def _fused(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    decay, maximize, kernel = flags
    if p is None:
        return True
    weight_decay, size = scalars
    if maximize:
        g = -g
    if decay == 1:
        g = g + p * weight_decay
    kernel(p, state[0], size, g)
    return True


class Adagrad(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html"""

    rule = staticmethod(_adagrad)
    fused = staticmethod(_fused)
    fused_scalars = (0, 2)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check.learning_rate(lr)
        _check.non_negative("lr_decay value", lr_decay)
        _check.non_negative("weight_decay value", weight_decay)
        _check.non_negative("initial_accumulator_value value", initial_accumulator_value)
        _check.non_negative("epsilon value", eps)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "foreach": foreach,
                "maximize": maximize,
                "differentiable": differentiable,
                "fused": fused,
            },
        )
        for group in self.param_groups:
            for p in group["params"]:
                self._start(group, p, self.state[p])

    @staticmethod
    def _start(group: dict[str, Any], p: Parameter, state: dict[str, Any]) -> None:
        state["step"] = _state.Number(0)
        state["sum"] = _state.full(p, group["initial_accumulator_value"])

    def share_memory(self) -> None:
        """Do nothing: processes of MindSpore share no tensors."""

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum",)

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        if "step" not in state:
            self._start(group, p, state)
        state["step"] = _state.Number(state["step"] + 1)
        size = _state.number(group["lr"]) / (1 + (state["step"] - 1) * group["lr_decay"])
        flags = (int(group["weight_decay"] != 0), group["maximize"], _kernel(group["eps"]))
        return (group["weight_decay"], group["eps"], size), flags


def _adadelta(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    weight_decay, lr, rho, rest, eps = scalars
    decay, maximize = flags
    p, g = decayed(p, g, weight_decay, weight_decay, decay, maximize)
    square_avg = state[0] * rho + g * g * rest
    delta = ops.sqrt(state[1] + eps) / ops.sqrt(square_avg + eps) * g
    return p - delta * lr, (square_avg, state[1] * rho + delta * delta * rest)


class Adadelta(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adadelta.html"""

    rule = staticmethod(_adadelta)

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        _check.learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        _check.non_negative("epsilon value", eps)
        _check.non_negative("weight_decay value", weight_decay)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "capturable": capturable,
                "foreach": foreach,
                "differentiable": differentiable,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta")

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        if "step" not in state:
            state["step"] = _state.Number(0)
            state["square_avg"], state["acc_delta"] = _state.zeros(p), _state.zeros(p)
        state["step"] = _state.Number(state["step"] + 1)
        rho, weight_decay = group["rho"], group["weight_decay"]
        scalars = (weight_decay, _state.number(group["lr"]), rho, 1 - rho, group["eps"])
        return scalars, (int(weight_decay != 0), group["maximize"])
