"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from mindspore import Parameter, Tensor, ops

from . import _check, _state
from ._elementwise import Elementwise, Flags, Scalars

_apply_momentum = ops.ApplyMomentum()


def _rule(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    lr, weight_decay, momentum, share = scalars
    decays, has_momentum, first, nesterov, maximize, dampens = flags
    if maximize:
        g = -g
    if decays:
        g = g + p * weight_decay
    if not has_momentum:
        return p - g * lr, ()
    if first:
        buffer = g * 1
    else:
        buffer = state[0] * momentum + g * share
    if nesterov:
        g = g + buffer * momentum
    else:
        g = buffer
    return p - g * lr, (buffer,)


def _fused(p, g, state, scalars, flags):  # type: ignore[no-untyped-def]
    decays, has_momentum, first, nesterov, maximize, dampens = flags
    if p is None:
        return has_momentum and not (first or nesterov or dampens)
    lr, weight_decay, momentum = scalars
    if maximize:
        g = -g
    if decays:
        g = g + p * weight_decay
    _apply_momentum(p, state[0], lr, g, momentum)
    return True


class SGD(Elementwise):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html"""

    rule = staticmethod(_rule)
    fused = staticmethod(_fused)
    fused_scalars = (0, 1, 2)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        _check.learning_rate(lr)
        _check.non_negative("momentum value", momentum)
        _check.non_negative("weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "foreach": foreach,
                "differentiable": differentiable,
                "fused": fused,
            },
        )

    def tensor_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def prepare(self, group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> tuple[Scalars, Flags]:
        lr, momentum, dampening, weight_decay = (
            _state.number(group[name]) for name in ("lr", "momentum", "dampening", "weight_decay")
        )
        first = momentum != 0 and state.get("momentum_buffer") is None
        if first:
            state["momentum_buffer"] = _state.zeros(p)
        flags = (weight_decay != 0, momentum != 0, first, group["nesterov"], group["maximize"], dampening != 0)
        return (lr, weight_decay, momentum, 1 - dampening), flags
