"""A linear layer and the cross entropy of its results as one layer.

https://docs.pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyLoss.html
"""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor

from .. import functional as F
from .linear import Linear
from .loss import _Loss

__all__ = ["LinearCrossEntropyLoss"]


class LinearCrossEntropyLoss(_Loss):
    """Cross entropy of `linear(input)`, of shape (N, num_classes, *out_features)."""

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Any = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
    ) -> None:
        self._keep(reduction, weight=weight)
        self.num_classes, self.out_features = num_classes, tuple(out_features)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.linear = Linear(in_features, math.prod(self.out_features, start=num_classes), bias=bias, dtype=dtype)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        shape = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, input.shape[-1])),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )
