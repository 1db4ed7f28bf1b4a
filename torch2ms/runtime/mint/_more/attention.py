"""Attention and similarities."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .. import _device as mint
from ..nn import _device as F

__all__ = ["bilinear", "cosine_similarity", "pairwise_distance", "pdist", "scaled_dot_product_attention"]


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return softmax(query @ key.T * scale + mask) @ value.

    `attn_mask` is boolean (True takes part) or added to the scores; `is_causal` lets position i see positions up to i.
    """
    if enable_gqa:
        key = mint.repeat_interleave(key, query.shape[-3] // key.shape[-3], key.ndim - 3)
        value = mint.repeat_interleave(value, query.shape[-3] // value.shape[-3], value.ndim - 3)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = mint.matmul(query * factor, key.swapaxes(-2, -1))
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("scaled_dot_product_attention: explicit attn_mask should not be set when is_causal=True")
        allowed = mint.tril(mint.ones((query.shape[-2], key.shape[-2]), dtype=mindspore.bool_))
        scores = _masked(scores, allowed)
    elif attn_mask is not None:
        scores = _masked(scores, attn_mask) if attn_mask.dtype == mindspore.bool_ else scores + attn_mask
    weights = F.softmax(scores, -1)
    if attn_mask is not None and attn_mask.dtype == mindspore.bool_:
        # a row without any allowed position has no scores: PyTorch returns zeros
        weights = mint.where(mint.any(attn_mask, -1, True), weights, mint.zeros_like(weights))
    if dropout_p > 0:
        weights = F.dropout(weights, dropout_p, True)
    return mint.matmul(weights, value)


def _masked(scores: Tensor, allowed: Tensor) -> Tensor:
    # a finite lowest score: with minus infinity a row without allowed positions would have nan gradients
    lowest = -6e4 if scores.dtype == mindspore.float16 else -3e38
    return mint.where(allowed, scores, mint.full((), lowest, dtype=scores.dtype))


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle along `dim`; each norm is at least `eps`."""
    if x1.shape != x2.shape:
        shape = mint.add(x1, x2).shape
        x1, x2 = mint.broadcast_to(x1, shape), mint.broadcast_to(x2, shape)
    first = x1 / mint.clamp(_norm(x1, dim), min=eps)
    second = x2 / mint.clamp(_norm(x2, dim), min=eps)
    return mint.sum(first * second, dim)


def _norm(x: Tensor, dim: int) -> Tensor:
    squares = mint.sum(x * x, dim, True)
    zero = squares == 0
    return mint.where(zero, mint.zeros_like(squares), mint.sqrt(mint.where(zero, mint.ones_like(squares), squares)))


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """Return the `p`-norm of x1 - x2 + eps over the last dimension."""
    return mint.norm(x1 - x2 + eps, p, -1, keepdim)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the `p`-norm distances between all pairs of rows, 1-d."""
    first, second = _pairs(input.shape[0])
    return mint.norm(mint.index_select(input, 0, first) - mint.index_select(input, 0, second), p, -1)


@mindspore.ops.constexpr(check=False)
def _pairs(n: int) -> Any:
    first, second = np.triu_indices(n, 1)
    return Tensor(first.astype(np.int64)), Tensor(second.astype(np.int64))


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return input1 @ weight[k] @ input2 for each output k, plus bias."""
    outputs, first, second = weight.shape
    left = input1.reshape((-1, first))
    right = input2.reshape((-1, second))
    mixed = mint.matmul(left, weight.permute((1, 0, 2)).reshape((first, outputs * second)))
    y = mint.sum(mixed.reshape((left.shape[0], outputs, second)) * right.reshape((right.shape[0], 1, second)), -1)
    y = y.reshape(tuple(input1.shape[:-1]) + (outputs,))
    return y if bias is None else y + bias
