"""The connectionist temporal classification loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _device as mint

__all__ = ["ctc_loss"]


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Return minus the log-likelihood of `targets` under (T, N, C) or (T, C) log-probabilities.

    `targets` holds one row per sample or all labels in a row; "mean" divides each loss by its target length first.
    """
    single = log_probs.ndim == 2
    logs = log_probs.unsqueeze(1) if single else log_probs
    inputs, lengths = _lengths(input_lengths), _lengths(target_lengths)
    labels = _rows(targets, lengths)
    loss = ops.ctc_loss(logs, labels, Tensor(inputs), Tensor(lengths), blank, "none", False)[0]
    if zero_infinity:
        # an infinite loss has nan gradients
        finite = mint.isfinite(ops.stop_gradient(loss))
        possible = Tensor(finite.asnumpy())
        safe = ops.ctc_loss(
            mint.where(possible.reshape((1, -1, 1)), logs, mint.zeros_like(logs)),
            mint.where(possible.reshape((-1, 1)), labels, mint.ones_like(labels) * ((blank + 1) % logs.shape[2])),
            Tensor(inputs),
            Tensor(np.where(finite.asnumpy(), lengths, 1).astype(np.int32)),
            blank,
            "none",
            False,
        )[0]
        loss = mint.where(possible, safe, mint.zeros_like(safe))
    if reduction == "mean":
        return mint.mean(loss / Tensor(np.maximum(lengths, 1), loss.dtype))
    if reduction == "sum":
        return mint.sum(loss)
    return loss.squeeze(0) if single else loss


def _lengths(value: Any) -> np.ndarray:
    values = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    return np.atleast_1d(values).astype(np.int32)


def _rows(targets: Tensor, lengths: np.ndarray) -> Tensor:
    """Return the labels as (N, S)."""
    values = targets.asnumpy()
    if values.ndim == 2:
        return Tensor(values.astype(np.int32))
    if len(lengths) == 1:
        return Tensor(values.reshape(1, -1).astype(np.int32))
    rows = np.zeros((len(lengths), max(1, int(lengths.max()))), np.int32)
    ends = np.cumsum(lengths)
    for row, end, length in zip(rows, ends, lengths):
        row[:length] = values[end - length : end]
    return Tensor(rows)
