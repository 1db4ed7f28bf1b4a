"""Losses as layers."""

from __future__ import annotations

from typing import Any

import mindspore.mint.nn as _mint
from mindspore import Tensor
from mindspore.nn import Cell as _Cell

from ....nn.cell import Cell
from .. import functional as F

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "PairwiseDistance",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
]


class _Loss(Cell):
    """A loss without the operator that mint's layer of the same name keeps as a child or attribute."""

    reduction: str

    def _keep(self, reduction: str, **buffers: Any) -> None:
        """Take the place of the other initializers; weights are buffers as in PyTorch."""
        _Cell.__init__(self)
        self.add_flags(training=True)
        self.reduction = reduction
        for name, value in buffers.items():
            self.register_buffer(name, value)


class BCELoss(_Loss, _mint.BCELoss):
    """Cross entropy of probabilities."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        self._keep(reduction, weight=weight)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(_Loss, _mint.BCEWithLogitsLoss):
    """Cross entropy of the sigmoid of the input."""

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        self._keep(reduction, weight=weight, pos_weight=pos_weight)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, self.reduction, self.pos_weight)


class CrossEntropyLoss(_Loss, _mint.CrossEntropyLoss):
    """Cross entropy of softmax(input) with class indices or probabilities."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        self._keep(reduction, weight=weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(_Loss, _mint.NLLLoss):
    """Minus the log-probability of the target class."""

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        self._keep(reduction, weight=weight)
        self.ignore_index = ignore_index

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class MSELoss(_Loss, _mint.MSELoss):
    """The squared difference."""

    def __init__(self, reduction: str = "mean") -> None:
        self._keep(reduction)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, self.reduction)


class L1Loss(_Loss, _mint.L1Loss):
    """The absolute difference."""

    def __init__(self, reduction: str = "mean") -> None:
        self._keep(reduction)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, self.reduction)


class SmoothL1Loss(_Loss, _mint.SmoothL1Loss):
    """Quadratic for differences below `beta`, absolute above."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        self._keep(reduction)
        self.beta = beta

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(_Loss):
    """Quadratic for differences below `delta`, absolute above, times `delta`."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self._keep(reduction)
        self.delta = delta

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, self.reduction, self.delta)


class SoftMarginLoss(_Loss, _mint.SoftMarginLoss):
    """log(1 + exp(-target * input))."""

    def __init__(self, reduction: str = "mean") -> None:
        self._keep(reduction)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, self.reduction)


class KLDivLoss(_Loss, _mint.KLDivLoss):
    """The Kullback-Leibler divergence of log-probabilities."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        self._keep(reduction)
        self.log_target = log_target

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, self.reduction, self.log_target)


class CosineEmbeddingLoss(_Loss, _mint.CosineEmbeddingLoss):
    """1 - cos for targets 1, max(0, cos - margin) for targets -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self._keep(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, self.margin, self.reduction)


class HingeEmbeddingLoss(_Loss):
    """The input for targets 1, max(0, margin - input) for targets -1."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        self._keep(reduction)
        self.margin = margin

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, self.margin, self.reduction)


class MarginRankingLoss(_Loss):
    """max(0, -target * (input1 - input2) + margin)."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        self._keep(reduction)
        self.margin = margin

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiLabelMarginLoss(_Loss):
    """The hinge loss between labelled and unlabelled classes."""

    def __init__(self, reduction: str = "mean") -> None:
        self._keep(reduction)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, self.reduction)


class MultiLabelSoftMarginLoss(_Loss):
    """The mean over classes of the cross entropy of sigmoids."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        self._keep(reduction, weight=weight)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, self.reduction)


class MultiMarginLoss(_Loss):
    """The hinge loss between the target class and the others."""

    def __init__(self, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean") -> None:
        self._keep(reduction, weight=weight)
        self.p, self.margin = p, margin

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, self.reduction)


class TripletMarginLoss(_Loss):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin)."""

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, reduction: str = "mean"
    ) -> None:
        self._keep(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def construct(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor, positive, negative, self.margin, self.p, self.eps, self.swap, self.reduction
        )


class PoissonNLLLoss(_Loss):
    """Minus the log-likelihood of Poisson-distributed targets."""

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        self._keep(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the log-likelihood of normally distributed targets."""

    def __init__(self, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self._keep(reduction)
        self.full, self.eps = full, eps

    def construct(self, input: Tensor, target: Tensor, var: Any) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


class CTCLoss(_Loss):
    """The connectionist temporal classification loss."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        self._keep(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class CosineSimilarity(Cell):
    """The cosine of the angle along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Cell):
    """The p-norm of the difference of rows."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
