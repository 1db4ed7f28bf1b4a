"""Base classes of torch.nn that programs test for or derive from."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from mindspore import Tensor

from ..mint.nn import Dropout, Dropout2d
from ..mint.nn import functional as F
from ..mint.nn._layers.conv import _Conv as _ConvNd
from ..mint.nn._layers.dropout import _DropoutNd as _OtherDropout
from ..mint.nn._layers.norm import _BatchNorm, _InstanceNorm
from .cell import Cell
from .containers import CellList

__all__ = [
    "_BatchNorm",
    "_ConvNd",
    "_DropoutNd",
    "_InstanceNorm",
    "_Loss",
    "_NormBase",
    "_WeightedLoss",
    "_get_activation_fn",
    "_get_clones",
]

# for isinstance, which takes tuples; deriving from one raises
_NormBase = (_BatchNorm, _InstanceNorm)
_DropoutNd = (Dropout, Dropout2d, _OtherDropout)


class _Loss(Cell):
    """Base of losses of one's own: keeps `reduction`."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            averaged = size_average is None or size_average
            reduction = "none" if reduce is False else "mean" if averaged else "sum"
        self.reduction = reduction


class _WeightedLoss(_Loss):
    """Base of losses with a weight per class, a buffer."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    """Return the function of a Transformer layer's activation."""
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def _get_clones(module: Any, N: int) -> CellList:
    """Return N independent copies of a cell."""
    return CellList([copy.deepcopy(module) for _ in range(N)])
