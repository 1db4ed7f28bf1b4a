"""Writes to a whole tensor, for every float type."""

from __future__ import annotations

from mindspore import Tensor, ops

from .. import _backend
from .state import STATE, is_low


def assign(target: Tensor, value: Tensor) -> None:
    """Write `value`, of the type and shape of `target`, without a gradient; `ops.assign` has no kernel for bfloat16 on CPU."""
    if STATE.awake and is_low(target):
        with _backend.grad_mode(False):
            target.copy_(value)
    else:
        ops.assign(target, value)
