"""Parameters of MindSpore's layers that are no parameters."""

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
