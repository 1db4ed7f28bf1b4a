"""Losses."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .activation import log_softmax, softplus
from .arithmetic import clamp, xlogy
from .common import exactly, filled, pick, product
from .reduction import mean
from .reduction import sum as _total

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cross_entropy",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """Return the loss itself ("none"), its mean or its sum."""
    if reduction == "mean":
        return mean(loss)
    if reduction == "sum":
        return _total(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the squared difference."""
    difference = input - target
    return reduced(difference * difference, reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the absolute difference."""
    return reduced(mint.abs(input - target), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Return the loss that is quadratic for differences below `beta`, absolute above."""
    distance = mint.abs(input - target)
    if beta == 0:
        return reduced(distance, reduction)
    return reduced(mint.where(distance < beta, distance * distance * (0.5 / beta), distance - 0.5 * beta), reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return log(1 + exp(-target * input)) for targets 1 and -1."""
    return reduced(softplus(-target * input, 1, float("inf")), reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """Return target * (log(target) - input); `input` (and `target` with `log_target`) holds log-probabilities."""
    if log_target:
        loss = mint.exp(target) * (target - input)
    else:
        loss = xlogy(target, target) - target * input
    if reduction == "batchmean":
        return _total(loss) / input.shape[0] if input.ndim else _total(loss)
    return reduced(loss, reduction)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean") -> Tensor:
    """Return the cross entropy of probabilities; logarithms are at least -100."""
    if input.shape != target.shape:
        raise ValueError(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}) is deprecated. Please ensure they have the same size."
        )
    if not compiling() and _outside_unit(input):
        raise RuntimeError("all elements of input should be between 0 and 1")
    yes = clamp(exactly(mint.log, input), min=-100)
    no = clamp(exactly(lambda x: mint.log(1 - x), input), min=-100)
    if not twice():
        yes, no = ops.stop_gradient(yes), ops.stop_gradient(no)
    loss = (target - 1) * no - target * yes
    if not twice():
        loss = loss + _slope(ops.stop_gradient(input), ops.stop_gradient(target)) * (input - ops.stop_gradient(input))
    return reduced(loss if weight is None else loss * weight, reduction)


def _slope(input: Tensor, target: Tensor) -> Tensor:
    """The derivative of the cross entropy as PyTorch bounds it: finite where a probability is exactly 0 or 1."""
    return (input - target) / clamp((1 - input) * input, min=1e-12)


def _outside_unit(x: Tensor) -> bool:
    values = ops.stop_gradient(x).asnumpy()
    return bool(values.size and not (values.min() >= 0 and values.max() <= 1))


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Tensor:
    """Return the cross entropy of the sigmoid of `input`."""
    if input.shape != target.shape:
        raise ValueError(f"Target size ({tuple(target.shape)}) must be the same as input size ({tuple(input.shape)})")
    # max(-x, 0) + log(1 + exp(-|x|)) is softplus(-x)
    positive = softplus(-input, 1, float("inf"))
    if pos_weight is None:
        loss = (1 - target) * input + positive
    else:
        loss = (1 - target) * input + ((pos_weight - 1) * target + 1) * positive
    return reduced(loss if weight is None else loss * weight, reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 - cos for targets 1, max(0, cos - margin) for targets -1."""
    tiny = 1e-12
    products = _total(input1 * input2, -1)
    squares = (_total(input1 * input1, -1) + tiny) * (_total(input2 * input2, -1) + tiny)
    cosine = products * mint.rsqrt(squares)
    zero = filled((), 0, cosine.dtype)
    loss = mint.where(target == 1, 1 - cosine, zero) + mint.where(
        target == -1, clamp(cosine - margin, min=0), zero
    )
    return reduced(loss, reduction)


def _classes_last(x: Tensor) -> Tensor:
    """Return (N, C, ...) as (M, C)."""
    if x.ndim <= 2:
        return x.reshape((-1, x.shape[-1]))
    return x.permute((0,) + tuple(range(2, x.ndim)) + (1,)).reshape((-1, x.shape[1]))


def _ignores(target: Tensor, classes: int, ignore_index: int) -> bool:
    """Return whether a target is to be ignored; raise where one is no class."""
    labels = target.asnumpy()
    bad = (labels < 0) | (labels >= classes)
    if not bad.any():
        return bool(0 <= ignore_index < classes and (labels == ignore_index).any())
    wrong = labels[bad & (labels != ignore_index)]
    if wrong.size:
        raise IndexError(f"Target {int(wrong.reshape(-1)[0])} is out of bounds.")
    return True


def nll_loss(
    input: Tensor, target: Tensor, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Tensor:
    """Return minus the log-probability of the target class; dimension 1 (0 for 1-d) holds the classes."""
    rows = _classes_last(input)
    labels = target.reshape(-1)
    masked = compiling() or _ignores(target, rows.shape[1], ignore_index)
    keep = labels != ignore_index if masked else labels
    if masked:
        labels = mint.where(keep, labels, labels * 0)
    loss = -pick(rows, 1, labels.unsqueeze(1)).squeeze(1)
    if not masked and weight is None:
        return reduced(loss if reduction != "none" else loss.reshape(target.shape), reduction)
    zero = filled((), 0, rows.dtype)
    weights = filled(labels.shape, 1, rows.dtype) if weight is None else ops.gather(weight, labels, 0)
    if masked:
        weights = mint.where(keep, weights, zero)
        loss = mint.where(keep, loss, zero)
    loss = loss * weights
    if reduction == "mean":
        return _total(loss) / _total(weights)
    return reduced(loss.reshape(target.shape), reduction)


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of softmax(input) with class indices or, for floating-point targets, probabilities."""
    logs = log_softmax(_classes_last(input), 1)
    if target.dtype in (mindspore.float32, mindspore.float64, mindspore.float16, mindspore.bfloat16):
        return _soft_cross_entropy(logs, input, target, weight, reduction, label_smoothing)
    hard = nll_loss(logs, target.reshape(-1), weight, ignore_index, reduction)
    if label_smoothing == 0:
        return hard.reshape(target.shape) if reduction == "none" else hard
    smooth = _smoothing(logs, target, weight, ignore_index, reduction)
    total = hard * (1 - label_smoothing) + smooth * (label_smoothing / logs.shape[1])
    return total.reshape(target.shape) if reduction == "none" else total


def _smoothing(logs: Tensor, target: Tensor, weight: Any, ignore_index: int, reduction: str) -> Tensor:
    """Return minus the (weighted) sum of all log-probabilities of each row, averaged as the hard loss is."""
    labels = target.reshape(-1)
    keep = labels != ignore_index
    zero = filled((), 0, logs.dtype)
    loss = mint.where(keep, -_total(logs if weight is None else logs * weight, 1), zero)
    if reduction != "mean":
        return reduced(loss, reduction)
    ones = filled(labels.shape, 1, logs.dtype)
    share = ones if weight is None else ops.gather(weight, mint.where(keep, labels, labels * 0), 0)
    return _total(loss) / _total(mint.where(keep, share, zero))


def _soft_cross_entropy(
    logs: Tensor, input: Tensor, target: Tensor, weight: Any, reduction: str, label_smoothing: float
) -> Tensor:
    classes = logs.shape[1]
    wanted = _classes_last(target)
    if label_smoothing > 0:
        wanted = wanted * (1 - label_smoothing) + label_smoothing / classes
    terms = logs * wanted
    loss = -_total(terms if weight is None else terms * weight, 1)
    if reduction == "mean":
        return _total(loss) / (product(input.shape) // classes)
    if reduction == "sum":
        return _total(loss)
    return loss.reshape((input.shape[0],) + tuple(input.shape[2:])) if input.ndim > 1 else loss.reshape(())
