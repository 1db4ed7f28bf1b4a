"""The layers of `einops.layers.torch` as Cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from einops import rearrange, reduce
from einops.layers._einmix import _EinmixMixin
from mindspore import Parameter, Tensor

from .. import mint
from ..nn import Cell


class Rearrange(Cell):
    """`rearrange` with a fixed pattern."""

    def __init__(self, pattern: str, **axes_lengths: Any) -> None:
        super().__init__()
        self.pattern = pattern
        self.axes_lengths = axes_lengths

    def construct(self, input: Tensor) -> Tensor:
        """Return the rearranged tensor."""
        return rearrange(input, self.pattern, **self.axes_lengths)

    def extend_repr(self) -> str:
        """Return the pattern, for the description of the layer."""
        return _describe(repr(self.pattern), self.axes_lengths)


class Reduce(Cell):
    """`reduce` with a fixed pattern."""

    def __init__(self, pattern: str, reduction: str, **axes_lengths: Any) -> None:
        super().__init__()
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths

    def construct(self, input: Tensor) -> Tensor:
        """Return the reduced tensor."""
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)

    def extend_repr(self) -> str:
        """Return the pattern, for the description of the layer."""
        return _describe(f"{self.pattern!r}, {self.reduction!r}", self.axes_lengths)


class EinMix(_EinmixMixin, Cell):
    """A linear map over named axes, with the axes rearranged before and after."""

    def _create_parameters(
        self, weight_shape: Sequence[int], weight_bound: float, bias_shape: Sequence[int] | None, bias_bound: float
    ) -> None:
        self.weight = Parameter(_uniform(weight_shape, weight_bound), name="weight")
        self.bias = None if bias_shape is None else Parameter(_uniform(bias_shape, bias_bound), name="bias")

    def _create_rearrange_layers(
        self,
        pre_reshape_pattern: str | None,
        pre_reshape_lengths: dict[str, int] | None,
        post_reshape_pattern: str | None,
        post_reshape_lengths: dict[str, int] | None,
    ) -> None:
        before, after = pre_reshape_pattern, post_reshape_pattern
        self.pre_rearrange = None if before is None else Rearrange(before, **(pre_reshape_lengths or {}))
        self.post_rearrange = None if after is None else Rearrange(after, **(post_reshape_lengths or {}))

    def construct(self, input: Tensor) -> Tensor:
        """Return the mixed tensor."""
        if self.pre_rearrange is not None:
            input = self.pre_rearrange(input)
        mixed = mint.einsum(self.einsum_pattern, input, self.weight)
        if self.bias is not None:
            mixed = mixed + self.bias
        return mixed if self.post_rearrange is None else self.post_rearrange(mixed)


def _uniform(shape: Sequence[int], bound: float) -> Tensor:
    return (mint.rand(tuple(shape)) * 2 - 1) * bound


def _describe(head: str, axes_lengths: dict[str, Any]) -> str:
    return head + "".join(f", {name}={length}" for name, length in axes_lengths.items())
