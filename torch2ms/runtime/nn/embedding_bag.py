"""Sums, means and maxima over bags of embeddings.

https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html
"""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor, ops

from .. import mint
from ..mint._more.bags import largest
from ..mint.nn import functional as F
from ..mint.nn._layers import initial
from .cell import Cell

__all__ = ["EmbeddingBag"]


class EmbeddingBag(Cell):
    """Reduces the embeddings of each bag of indices to one row.

    `input` (B, N) holds B bags of N indices; `input` (N,) needs `offsets` (B,), where each bag begins. Returns
    (B, embedding_dim). The index `padding_idx` counts in no bag.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if mode not in ("sum", "mean", "max"):
            raise ValueError("mode has to be one of sum, mean or max")
        if scale_grad_by_freq or max_norm is not None:
            raise NotImplementedError("EmbeddingBag with max_norm or scale_grad_by_freq: use Embedding and a reduction")
        self.num_embeddings, self.embedding_dim, self.mode = num_embeddings, embedding_dim, mode
        self.max_norm, self.norm_type, self.sparse = max_norm, norm_type, sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        table = initial.normal((num_embeddings, embedding_dim), dtype) if _weight is None else _weight
        self.weight = Parameter(table, name="weight")
        if _weight is None:
            self._zero_padding()

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        initial.write(self.weight, initial.normal(self.weight.shape, self.weight.dtype))
        self._zero_padding()

    def _zero_padding(self) -> None:
        if self.padding_idx is not None:
            values = self.weight.asnumpy().copy()
            values[self.padding_idx] = 0
            initial.write(self.weight, Tensor(values, self.weight.dtype))

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> EmbeddingBag:
        """Return a layer over the given table, frozen unless `freeze` is False."""
        rows, columns = embeddings.shape
        layer = cls(rows, columns, _weight=embeddings, **options)
        layer.weight.requires_grad = not freeze
        return layer

    def construct(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        bags, count = self._bags(input, offsets)
        indices = input.reshape(-1)
        weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
        if weights is not None and self.mode != "sum":
            raise NotImplementedError("per_sample_weights is only supported for mode='sum'")
        if self.padding_idx is not None:
            kept = Tensor(np.flatnonzero(indices.asnumpy() != self.padding_idx))
            bags, indices = bags[kept.asnumpy()], mint.index_select(indices, 0, kept)
            weights = None if weights is None else mint.index_select(weights, 0, kept)
        rows = F.embedding(indices, self.weight)
        rows = rows if weights is None else rows * weights.unsqueeze(1)
        return self._reduced(rows, bags, count)

    def _bags(self, input: Tensor, offsets: Tensor | None) -> tuple[np.ndarray, int]:
        """Return the number of the bag of each index, and the number of bags."""
        if input.ndim == 2:
            if offsets is not None:
                raise ValueError("if input is 2D, then offsets has to be None")
            return np.repeat(np.arange(input.shape[0]), input.shape[1]), input.shape[0]
        if input.ndim != 1 or offsets is None:
            raise ValueError("input has to be 2D, or 1D with offsets")
        starts = offsets.asnumpy()
        if len(starts) and starts[0] != 0:
            raise ValueError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0"
            )
        starts = starts[:-1] if self.include_last_offset else starts
        bags: np.ndarray = np.asarray(np.searchsorted(starts, np.arange(input.shape[0]), side="right")) - 1
        return bags, len(starts)

    def _reduced(self, rows: Tensor, bags: np.ndarray, count: int) -> Tensor:
        if self.mode == "max":
            return largest(rows, bags, count)
        totals = ops.unsorted_segment_sum(rows, Tensor(bags, mindspore.int32), count)
        if self.mode == "sum":
            return totals
        sizes = np.maximum(np.bincount(bags, minlength=count), 1).reshape(-1, 1)
        return totals / Tensor(sizes, rows.dtype)

    def extend_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, mode={self.mode!r}"
