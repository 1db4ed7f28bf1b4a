"""Adafactor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Parameter, Tensor, bfloat16, dtype_to_nptype, ops

from .._lower.assignment import assign
from .._lower.lifting import widened
from . import _state
from .optimizer import Optimizer


class Adafactor(Optimizer):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.Adafactor.html"""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        conditions = (
            (float(lr) >= 0, f"Learning rate should be >= 0 but is: {lr}"),
            (beta2_decay <= 0, f"beta2_decay should be <= 0 but is: {beta2_decay}"),
            (eps[0] is None or eps[0] >= 0, f"epsilon1 should be >= 0 but is: {eps[0]}"),
            (eps[1] >= 0, f"epsilon2 should be >= 0 but is: {eps[1]}"),
            (d >= 1, f"Clipping threshold d should be >= 1 but is: {d}"),
            (weight_decay >= 0, f"weight_decay should be >= 0 but is: {weight_decay}"),
        )
        for holds, message in conditions:
            if not holds:
                raise ValueError(message)
        super().__init__(
            params,
            {
                "lr": lr,
                "beta2_decay": beta2_decay,
                "eps": eps,
                "d": d,
                "weight_decay": weight_decay,
                "foreach": foreach,
                "maximize": maximize,
            },
        )

    def update_group(self, index: int, group: dict[str, Any], pairs: list[tuple[Parameter, Tensor]]) -> None:
        for p, g in pairs:
            _update(group, p, -g if group["maximize"] else g, self.state[p])


def _update(group: dict[str, Any], p: Parameter, g: Tensor, state: dict[str, Any]) -> None:
    if "step" not in state:
        _start(p, state)
    state["step"] = step = _state.Number(state["step"] + 1)
    lr, weight_decay = _state.number(group["lr"]), group["weight_decay"]
    eps1, eps2 = group["eps"]
    eps1 = _spacing(p.dtype) if eps1 is None else eps1
    wide, g = widened(p), widened(g)

    def scalar(value: float) -> Tensor:
        return Tensor(value, wide.dtype)

    size = max(eps2, _rms(wide)) * min(lr, 1 / math.sqrt(step))
    decayed = wide if weight_decay == 0 else wide * scalar(1 - lr * weight_decay)
    variance = _variance(g, state, scalar(step ** group["beta2_decay"]), scalar(eps1))
    update = ops.rsqrt(ops.maximum(variance, scalar(eps1 * eps1))) * g
    clip = max(1.0, _rms(update) / group["d"])
    assign(p, (decayed - update * scalar(size / clip)).astype(p.dtype))


def _spacing(dtype: Any) -> float:
    """Return what is between 1 and the next number."""
    return 2.0**-7 if dtype == bfloat16 else float(np.finfo(dtype_to_nptype(dtype)).eps)


def _start(p: Parameter, state: dict[str, Any]) -> None:
    state["step"] = _state.Number(0)
    if p.ndim > 1:
        state["row_var"] = _state.as_state(ops.zeros(p.shape[:-1] + (1,), p.dtype))
        state["col_var"] = _state.as_state(ops.zeros(p.shape[:-2] + (1, p.shape[-1]), p.dtype))
    else:
        state["variance"] = _state.zeros(p)


def _variance(g: Tensor, state: dict[str, Any], weight: Tensor, smallest: Tensor) -> Tensor:
    """Return the estimate of the squared gradient: by rows and columns where there are both."""
    square = g * g
    if "variance" in state:
        return _approach(state["variance"], square, weight)
    rows = _approach(state["row_var"], _mean(square, -1), weight)
    columns = _approach(state["col_var"], _mean(square, -2), weight)
    return ops.matmul(rows, columns) / ops.maximum(_mean(rows, -2), smallest)


def _approach(state: Parameter, value: Tensor, weight: Tensor) -> Tensor:
    old = widened(state)
    new = old + (value - old) * weight
    assign(state, new.astype(state.dtype))
    return new


def _mean(value: Tensor, axis: int) -> Tensor:
    return ops.ReduceSum(True)(value, axis) / Tensor(value.shape[axis], value.dtype)


def _rms(value: Tensor) -> float:
    return math.sqrt(float((value * value).sum()) / value.size)
