"""One layer of a Transformer's encoder and one of its decoder, with PyTorch's parameters and order of operations.

https://docs.pytorch.org/docs/stable/nn.html#transformer-layers
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore import Tensor

from ..mint.nn import Dropout, LayerNorm, Linear
from .attention import MultiheadAttention
from .bases import _get_activation_fn
from .cell import Cell

__all__ = ["TransformerDecoderLayer", "TransformerEncoderLayer"]

Activation = str | Callable[[Tensor], Tensor]


def norm_of(size: int, eps: float, bias: bool, dtype: Any) -> Cell:
    """Return the normalization of a Transformer."""
    if not bias:
        raise NotImplementedError("LayerNorm without a bias is not available; use bias=True")
    return LayerNorm(size, eps, dtype=dtype) if dtype is not None else LayerNorm(size, eps)


class _Layer(Cell):
    """What a layer of the encoder and one of the decoder share: attentions, a feed-forward network, norms and dropouts."""

    self_attn: MultiheadAttention
    norm1: Cell
    norm2: Cell
    dropout1: Dropout
    dropout2: Dropout
    _attentions: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        for name in self._attentions:
            attention = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype)
        self.norm_first = norm_first
        # one behind each attention and one behind the network
        numbers = range(1, len(self._attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", norm_of(d_model, layer_norm_eps, bias, dtype))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation if callable(activation) else _get_activation_fn(activation)

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        out = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(out)

    def _fed(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network: (S, N, E), or (N, S, E) with `batch_first`."""

    def construct(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self._fed(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention over the encoder's result, and a feed-forward network."""

    multihead_attn: MultiheadAttention
    norm3: Cell
    dropout3: Dropout
    _attentions = ("self_attn", "multihead_attn")

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        x = tgt
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(
        self, x: Tensor, mem: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        out = self.multihead_attn(
            x, mem, mem, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
        )[0]
        return self.dropout2(out)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self._fed(x))
