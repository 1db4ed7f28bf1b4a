"""Adaptive softmax and a triplet loss with a distance of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from mindspore import Tensor

from .. import mint
from ..mint.nn import Linear
from ..mint.nn import functional as F
from .cell import Cell
from .containers import CellList, SequentialCell

__all__ = ["AdaptiveLogSoftmaxWithLoss", "CrossMapLRN2d", "TripletMarginWithDistanceLoss"]


class _Result(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Cell):
    """https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html"""

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs or cutoffs != sorted(set(cutoffs)) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.cutoffs = [*cutoffs, n_classes]
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, dtype=dtype)
        self.tail = CellList()
        for i in range(self.n_clusters):
            inner = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            first = Linear(in_features, inner, bias=False, dtype=dtype)
            self.tail.append(SequentialCell(first, Linear(inner, size, bias=False, dtype=dtype)))

    def reset_parameters(self) -> None:
        """Draw the weights of the head and of the clusters anew."""
        self.head.reset_parameters()
        for pair in self.tail:
            for layer in pair:
                layer.reset_parameters()

    def construct(self, input: Tensor, target: Tensor) -> _Result:
        """Return the log probability of each target, and the mean loss."""
        single = input.ndim == 1
        x, wanted = (input.unsqueeze(0), target.reshape(1)) if single else (input, target)
        classes = wanted.asnumpy()
        if classes.size and (classes.min() < 0 or classes.max() >= self.n_classes):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}]")
        head = F.log_softmax(self.head(x), -1)
        # the number of the cluster behind the short list, where a class is not in it
        cluster = np.searchsorted(self.cutoffs, classes, side="right") - 1
        place = np.where(cluster < 0, classes, self.shortlist_size + cluster)
        output = mint.gather(head, 1, Tensor(place.reshape(-1, 1))).squeeze(1)
        for i in range(self.n_clusters):
            rows = np.flatnonzero(cluster == i)
            if len(rows):
                inside = F.log_softmax(self.tail[i](mint.index_select(x, 0, Tensor(rows))), -1)
                offsets = Tensor((classes[rows] - self.cutoffs[i]).reshape(-1, 1))
                output = mint.index_add(output, 0, Tensor(rows), mint.gather(inside, 1, offsets).squeeze(1))
        return _Result(output.squeeze(0) if single else output, -mint.mean(output))

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log probabilities of all classes: (N, n_classes)."""
        head = F.log_softmax(self.head(input), -1)
        parts = [head[:, : self.shortlist_size]]
        for i in range(self.n_clusters):
            inside = F.log_softmax(self.tail[i](input), -1)
            parts.append(inside + head[:, self.shortlist_size + i].unsqueeze(1))
        return mint.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row: (N,)."""
        return mint.argmax(self.log_prob(input), 1)


class CrossMapLRN2d(Cell):
    """Refuses: PyTorch's layer keeps the first channel in every window, and its gradient does not follow its values."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        raise NotImplementedError("CrossMapLRN2d: use LocalResponseNorm(size, alpha, beta, k)")


class TripletMarginWithDistanceLoss(Cell):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin) with a distance function."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = distance_function or F.pairwise_distance
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def construct(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
