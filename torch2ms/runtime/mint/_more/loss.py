"""Losses that mint.nn.functional lacks."""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Tensor

from .. import _device as mint
from ..nn import _device as F
from .attention import pairwise_distance

__all__ = [
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "linear_cross_entropy",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "poisson_nll_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return mint.mean(loss)
    if reduction == "sum":
        return mint.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _zero(x: Tensor) -> Tensor:
    return mint.zeros_like(x)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Return half the squared difference below `delta`, delta * (difference - delta / 2) above."""
    distance = mint.abs(input - target)
    loss = mint.where(distance <= delta, distance * distance * 0.5, (distance - 0.5 * delta) * delta)
    if weight is None:
        return _reduced(loss, reduction)
    weighted = loss * weight
    return mint.sum(weighted) / mint.sum(weight) if reduction == "mean" else _reduced(weighted, reduction)


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """Return the input for targets 1, max(0, margin - input) for targets -1."""
    apart = mint.where(target != 1, F.relu(margin - input), _zero(input))
    together = mint.where(target != -1, input, _zero(input))
    return _reduced(apart + together, reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return max(0, -target * (input1 - input2) + margin)."""
    return _reduced(F.relu(-target * (input1 - input2) + margin), reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over the last dimension of the cross entropy of sigmoids."""
    loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
    loss = loss if weight is None else loss * weight
    return _reduced(mint.mean(loss, -1), reduction)


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean over classes of max(0, margin - x[target] + x[class]) ** p."""
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    x = input.reshape((1, -1)) if input.ndim < 2 else input
    labels = target.reshape(-1)
    own = mint.gather(x, 1, labels.unsqueeze(1))
    excess = F.relu(margin - own + x)
    excess = excess * excess if p == 2 else excess
    if weight is not None:
        excess = excess * mint.index_select(weight, 0, labels).unsqueeze(1)
    others = F.one_hot(labels, x.shape[1]) == 0
    loss = mint.sum(mint.where(others, excess, _zero(excess)), 1) / x.shape[1]
    return _reduced(loss.reshape(()) if input.ndim < 2 and reduction == "none" else loss, reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the hinge loss between labelled and other classes; labels end at the first -1."""
    x = input.reshape((1, -1)) if input.ndim < 2 else input
    labels = target.reshape((1, -1)) if input.ndim < 2 else target
    valid = mint.cumsum((labels < 0).astype(mindspore.int64), 1) == 0
    labels = mint.where(valid, labels, mint.zeros_like(labels))
    marked = mint.scatter_add(mint.zeros(x.shape, dtype=mindspore.float32), 1, labels, valid.astype(mindspore.float32))
    own = mint.gather(x, 1, labels)
    # (rows, labels, classes)
    excess = F.relu(1 - own.unsqueeze(2) + x.unsqueeze(1))
    counted = mint.logical_and(valid.unsqueeze(2), (marked == 0).unsqueeze(1))
    loss = mint.sum(mint.sum(mint.where(counted, excess, _zero(excess)), 2), 1) / x.shape[1]
    return _reduced(loss.reshape(()) if input.ndim < 2 and reduction == "none" else loss, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, distance(anchor, positive) - distance(anchor, negative) + margin)."""
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = mint.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(F.relu(near - far + margin), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return the triplet loss with any distance function."""
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = mint.minimum(far, distance(positive, negative))
    return _reduced(F.relu(near - far + margin), reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Return minus the log-likelihood of Poisson-distributed targets; `full` adds the Stirling term."""
    loss = mint.exp(input) - target * input if log_input else input - target * mint.log(input + eps)
    if full:
        large = target > 1
        # like PyTorch's, the gradient of a negative target is nan
        stirling = target * mint.log(target) - target + 0.5 * mint.log(2 * math.pi * target)
        loss = loss + mint.where(large, stirling, _zero(stirling))
    return _reduced(loss, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Return minus the log-likelihood of normally distributed targets; the variance is at least `eps`."""
    variance = var if isinstance(var, Tensor) else mint.full_like(input, float(var))
    if variance.ndim < input.ndim and variance.shape == input.shape[:-1]:
        variance = variance.unsqueeze(-1)
    # the clamp passes the gradient through, as in PyTorch
    low = mindspore.ops.stop_gradient(mint.where(variance < eps, eps - variance, _zero(variance)))
    variance = variance + low
    difference = input - target
    loss = (mint.log(variance) + difference * difference / variance) * 0.5
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of `input` times the weight (C, ..., features) plus the bias (C, ...)."""
    rows = linear_weight.reshape((-1, linear_weight.shape[-1]))
    logits = F.linear(input, rows, None if linear_bias is None else linear_bias.reshape(-1))
    logits = logits.reshape(tuple(input.shape[:-1]) + tuple(linear_weight.shape[:-1]))
    ignored = -100 if ignore_index is None else ignore_index
    return F.cross_entropy(logits, target, weight, ignored, reduction, label_smoothing)
