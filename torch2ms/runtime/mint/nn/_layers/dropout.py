"""Dropout layers; all are the identity outside training."""

from __future__ import annotations

import mindspore.mint.nn as _mint
from mindspore import Tensor

from ....nn.cell import Cell
from ..._cpu.common import check_probability
from .. import functional as F

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class Dropout(Cell, _mint.Dropout):
    """Zero elements with probability `p`, scale the others by 1 / (1 - p)."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        check_probability(p)
        super().__init__(p, inplace)

    def construct(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training)


class Dropout2d(Cell, _mint.Dropout2d):
    """Zero whole channels of (N, C, H, W) with probability `p`."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        check_probability(p)
        super().__init__(p, inplace)

    def construct(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training)


class _DropoutNd(Cell):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        check_probability(p)
        super().__init__()
        self.p, self.inplace = p, inplace


class Dropout1d(_DropoutNd):
    """Zero whole channels of (N, C, L) or (C, L) with probability `p`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training)


class Dropout3d(_DropoutNd):
    """Zero whole channels of (N, C, D, H, W) or (C, D, H, W) with probability `p`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of self-normalizing activations."""

    def construct(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Alpha dropout of whole channels."""

    def construct(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
