"""Multi-head attention with PyTorch's parameters, masks and results.

https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
"""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from .. import mint
from ..mint.nn import Linear
from ..mint.nn import functional as F
from . import init
from .cell import Cell

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Cell):
    """Attention over `num_heads` parts of the embedding.

    query (L, N, E), key (S, N, kdim), value (S, N, vdim), with `batch_first` the batch first, or all without a batch.
    Returns the result and the weights: (N, L, S) averaged over the heads, (N, heads, L, S), or None.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.add_zero_attn = add_zero_attn
        dtype = mindspore.float32 if dtype is None else dtype
        self._make_projections(bias, dtype)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self.bias_k = _parameter("bias_k", (1, 1, embed_dim), dtype) if add_bias_kv else None
        self.bias_v = _parameter("bias_v", (1, 1, embed_dim), dtype) if add_bias_kv else None
        self._reset_parameters()

    def _make_projections(self, bias: bool, dtype: Any) -> None:
        size = self.embed_dim
        if self._qkv_same_embed_dim:
            self.in_proj_weight = _parameter("in_proj_weight", (3 * size, size), dtype)
            self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        else:
            self.q_proj_weight = _parameter("q_proj_weight", (size, size), dtype)
            self.k_proj_weight = _parameter("k_proj_weight", (size, self.kdim), dtype)
            self.v_proj_weight = _parameter("v_proj_weight", (size, self.vdim), dtype)
            self.in_proj_weight = None
        self.in_proj_bias = _parameter("in_proj_bias", (3 * size,), dtype) if bias else None

    def _reset_parameters(self) -> None:
        weights = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        for weight in weights:
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        batched = query.ndim == 3
        if not batched:
            query, key, value = (t.unsqueeze(1) for t in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif self.batch_first:
            query, key, value = (mint.transpose(t, 0, 1) for t in (query, key, value))
        out, weights = self._attend(query, key, value, key_padding_mask, attn_mask)
        if batched and self.batch_first:
            out = mint.transpose(out, 0, 1)
        if not batched:
            out, weights = out.squeeze(1), weights.squeeze(0)
        if not need_weights:
            return out, None
        return out, mint.mean(weights, -3) if average_attn_weights else weights

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        biases: tuple[Tensor | None, ...] = (None, None, None)
        if self.in_proj_bias is not None:
            biases = mint.chunk(self.in_proj_bias, 3)
        if self.in_proj_weight is not None:
            weights = mint.chunk(self.in_proj_weight, 3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        q, k, v = (F.linear(t, w, b) for t, w, b in zip((query, key, value), weights, biases))
        return q, k, v

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        length, batch, _ = query.shape
        q, k, v = self._projected(query, key, value)
        mask = _merged(key_padding_mask, attn_mask, batch, self.num_heads, q.dtype)
        extra = 0
        if self.bias_k is not None:
            k = mint.cat([k, mint.tile(self.bias_k, (1, batch, 1))], 0)
            v = mint.cat([v, mint.tile(self.bias_v, (1, batch, 1))], 0)
            extra += 1
        q, k, v = (self._heads(t) for t in (q, k, v))
        if self.add_zero_attn:
            zeros = mint.zeros((batch, self.num_heads, 1, self.head_dim), dtype=k.dtype)
            k, v = mint.cat([k, zeros], 2), mint.cat([v, zeros], 2)
            extra += 1
        scores = mint.matmul(q * (1.0 / math.sqrt(self.head_dim)), mint.transpose(k, -2, -1))
        if mask is not None:
            if extra:
                mask = F.pad(mask, (0, extra))
            scores = scores + mask
        weights = F.softmax(scores, -1)
        if self.dropout > 0 and self.training:
            weights = F.dropout(weights, self.dropout, True)
        mixed = mint.matmul(weights, v).permute(2, 0, 1, 3).reshape(length, batch, self.embed_dim)
        return self.out_proj(mixed), weights

    def _heads(self, t: Tensor) -> Tensor:
        """(steps, batch, size) -> (batch, heads, steps, size of a head)."""
        return t.reshape(t.shape[0], t.shape[1], self.num_heads, self.head_dim).permute(1, 2, 0, 3)


def _parameter(name: str, shape: tuple[int, ...], dtype: Any) -> Parameter:
    return Parameter(mint.zeros(shape, dtype=dtype), name=name)


def _merged(
    key_padding_mask: Tensor | None, attn_mask: Tensor | None, batch: int, heads: int, dtype: Any
) -> Tensor | None:
    """Both masks as one that is added to the scores, (batch or 1, heads or 1, L, S)."""
    found = None
    if attn_mask is not None:
        found = _added(attn_mask, dtype)
        if found.ndim == 2:
            found = found.reshape(1, 1, *found.shape)
        else:
            found = found.reshape(batch, heads, *found.shape[1:])
    if key_padding_mask is not None:
        padding = _added(key_padding_mask, dtype).reshape(batch, 1, 1, -1)
        found = padding if found is None else found + padding
    return found


def _added(mask: Tensor, dtype: Any) -> Tensor:
    """A boolean mask (True is left out) as minus infinity where it is True."""
    if mask.dtype != mindspore.bool_:
        return mask.to(dtype)
    return mint.where(mask, mint.full((), float("-inf"), dtype=dtype), mint.zeros((), dtype=dtype))
