"""Parameters of MindSpore's layers: which of them are none, and their check before the first call."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from mindspore.nn import Cell

from .version import private


@functools.cache
def _statistics() -> Sequence[tuple[type, tuple[str, ...]]]:
    """Return the layers of MindSpore whose Parameters include what PyTorch registers as buffers."""

    def find() -> Any:
        from mindspore.mint.nn.layer.normalization import _NormBase
        from mindspore.nn.layer.normalization import BatchNorm3d, _BatchNorm

        return (
            (_NormBase, ("running_mean", "running_var", "num_batches_tracked")),
            (_BatchNorm, ("moving_mean", "moving_variance")),
            (BatchNorm3d, ("moving_mean", "moving_variance")),
        )

    return private("normalization layers", find)


def statistics_names(cell: Cell) -> tuple[str, ...]:
    """Return the names of the cell's Parameters that PyTorch lists as buffers."""
    for kind, names in _statistics():
        if isinstance(cell, kind):
            return names
    return ()


def settle(cell: Cell) -> None:
    """Let a cell check its Parameters, which it else does at its first call, when tensors may stand in their places."""
    if not private("the first call of a cell", lambda: cell._init_flag):
        cell._init_check()
