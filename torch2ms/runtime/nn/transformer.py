"""The Transformer and its encoder and decoder: stacks of layers, with PyTorch's parameters.

https://docs.pytorch.org/docs/stable/nn.html#transformer-layers
"""

from __future__ import annotations

from typing import Any

from mindspore import Tensor

from .. import mint
from .._default_dtype import get_default_dtype
from . import init
from .bases import _get_clones
from .cell import Cell
from .transformer_layers import Activation, TransformerDecoderLayer, TransformerEncoderLayer, norm_of

__all__ = ["Transformer", "TransformerDecoder", "TransformerEncoder"]


class _Stack(Cell):
    """Copies of a layer, and perhaps a normalization behind the last."""

    def __init__(self, layer: Cell, num_layers: int, norm: Cell | None) -> None:
        super().__init__()
        self.layers = _get_clones(layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm


class TransformerEncoder(_Stack):
    """Copies of an encoder layer, one after the other."""

    def __init__(
        self,
        encoder_layer: Cell,
        num_layers: int,
        norm: Cell | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)

    def construct(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """Copies of a decoder layer, one after the other."""

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder: src (S, N, E), tgt (T, N, E) -> (T, N, E)."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        common = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            dtype,
        )
        self.encoder = custom_encoder
        if custom_encoder is None:
            norm = norm_of(d_model, layer_norm_eps, bias, dtype)
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*common), num_encoder_layers, norm)
        self.decoder = custom_decoder
        if custom_decoder is None:
            norm = norm_of(d_model, layer_norm_eps, bias, dtype)
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*common), num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, dtype: Any = None, device: Any = None) -> Tensor:
        """Return (sz, sz): minus infinity above the diagonal, 0 elsewhere."""
        dtype = get_default_dtype() if dtype is None else dtype
        return mint.triu(mint.full((sz, sz), float("-inf"), dtype=dtype), diagonal=1)
