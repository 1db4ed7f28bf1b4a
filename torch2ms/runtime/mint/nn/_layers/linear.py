"""Linear maps, embeddings, and the layers that only rearrange."""

from __future__ import annotations

import math
from typing import Any

import mindspore.mint.nn as _mint
from mindspore import Parameter, Tensor

from ....nn.cell import Cell
from .. import functional as F
from . import initial

__all__ = [
    "Bilinear",
    "Embedding",
    "Flatten",
    "Fold",
    "Identity",
    "Linear",
    "PixelShuffle",
    "Unflatten",
    "Unfold",
]


class Linear(Cell, _mint.Linear):
    """y = x @ weight.T + bias over the last dimension."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: Any = None) -> None:
        bound = 1 / math.sqrt(in_features) if in_features > 0 else 0.0
        weight = initial.uniform((out_features, in_features), bound, dtype)
        offset = initial.uniform((out_features,), bound, dtype) if bias else None
        super().__init__(in_features, out_features, bias, weight, offset, dtype)

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        initial.reset_weight_and_bias(self.weight, self.bias)

    def construct(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)


class Bilinear(Cell):
    """y = x1 @ weight @ x2 + bias over the last dimensions."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        bound = 1 / math.sqrt(in1_features)
        self.weight = Parameter(
            initial.uniform((out_features, in1_features, in2_features), bound, dtype), name="weight"
        )
        self.bias = Parameter(initial.uniform((out_features,), bound, dtype), name="bias") if bias else None

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                initial.write(parameter, initial.uniform(parameter.shape, bound, parameter.dtype))

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)


class Embedding(Cell, _mint.Embedding):
    """Rows of a table by index; the row `padding_idx` starts at 0 and gets no gradient."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertionError("Padding_idx must be within num_embeddings")
        table = _weight
        if table is None:
            table = initial.normal((num_embeddings, embedding_dim), dtype)
        super().__init__(
            num_embeddings,
            embedding_dim,
            padding_idx,
            None if max_norm is None else float(max_norm),
            float(norm_type),
            scale_grad_by_freq,
            sparse,
            table,
            _freeze,
            dtype,
        )
        if padding_idx is not None:
            self.padding_idx = padding_idx % num_embeddings
            if _weight is None:
                self._zero_padding()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Return an embedding of the given table (rows, columns), frozen unless `freeze` is False."""
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        initial.write(self.weight, initial.normal(self.weight.shape, self.weight.dtype))
        if self.padding_idx is not None:
            self._zero_padding()

    def _zero_padding(self) -> None:
        table = self.weight.asnumpy().copy()
        table[self.padding_idx] = 0
        initial.write(self.weight, Tensor(table, self.weight.dtype))

    def construct(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)


class Flatten(Cell, _mint.Flatten):
    """Dimensions start_dim ... end_dim as one."""

    def construct(self, input: Tensor) -> Tensor:
        return F.flatten(input, self.start_dim, self.end_dim)


class Unflatten(Cell):
    """Dimension `dim` as several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = tuple(unflattened_size)

    def construct(self, input: Tensor) -> Tensor:
        d = self.dim % input.ndim
        return input.reshape(tuple(input.shape[:d]) + self.unflattened_size + tuple(input.shape[d + 1 :]))


class Identity(Cell, _mint.Identity):
    """The input itself; all arguments are ignored."""


class Fold(Cell, _mint.Fold):
    """Columns summed into an image."""

    def construct(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class Unfold(Cell, _mint.Unfold):
    """The patches of an image as columns."""

    def construct(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class PixelShuffle(Cell, _mint.PixelShuffle):
    """Channels moved into space."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)
