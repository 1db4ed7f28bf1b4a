"""Embedding bags: rows looked up and reduced at once."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import _device as mint
from ..nn import _device as F

__all__ = ["embedding_bag"]


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return the sum, mean or max of the rows of each bag: the rows of a 2-d `input`, or the runs between `offsets`."""
    if input.is_floating_point() and not weight.is_floating_point():  # PyTorch still takes the old order of the two
        input, weight = weight, input
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None, but mode is not 'sum'")
    if mode == "max" and padding_idx is not None:
        raise NotImplementedError("mint.nn.functional.embedding_bag(mode='max', padding_idx=...)")
    bags, count = _bags(input, offsets, include_last_offset)
    flat = input.reshape(-1)
    rows = F.embedding(flat, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)
    counted = mint.ones((flat.shape[0], 1), dtype=weight.dtype)
    if padding_idx is not None:
        padding = padding_idx % weight.shape[0]
        counted = (flat != padding).astype(weight.dtype).reshape((-1, 1))
        rows = rows * counted
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape((-1, 1))
    if mode == "max":
        return largest(rows, bags.asnumpy(), count)
    total = _total(rows, bags, count)
    if mode == "sum":
        return total
    return total / mint.clamp(_total(counted, bags, count), min=1)


def _bags(input: Tensor, offsets: Tensor | None, include_last: bool) -> tuple[Tensor, int]:
    """Return to which bag each index belongs, and how many bags there are."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None")
        return Tensor(np.repeat(np.arange(input.shape[0]), input.shape[1]), mindspore.int64), input.shape[0]
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    starts = offsets.asnumpy()
    ends = starts[1:] if include_last else np.append(starts[1:], input.shape[0])
    starts = starts[: len(ends)]
    return Tensor(np.repeat(np.arange(len(ends)), ends - starts), mindspore.int64), len(ends)


def _total(rows: Tensor, bags: Tensor, count: int) -> Tensor:
    start = mint.zeros((count, rows.shape[1]), dtype=rows.dtype)
    return mint.scatter_add(start, 0, mint.broadcast_to(bags.reshape((-1, 1)), rows.shape), rows)


def largest(rows: Tensor, bags: Any, count: int) -> Tensor:
    """Return the maxima of the rows of each bag, zeros for an empty one; `bags` holds the number of each row's bag."""
    found = []
    for bag in range(count):
        places = np.flatnonzero(bags == bag)
        if places.size:
            found.append(mint.max(mint.index_select(rows, 0, Tensor(places)), 0)[0])
        else:
            found.append(mint.zeros((rows.shape[1],), dtype=rows.dtype))
    return mint.stack(found, 0)
