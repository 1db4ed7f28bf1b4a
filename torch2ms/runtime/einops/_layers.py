"""The layers of `einops.layers.torch` as Cells."""

from __future__ import annotations

from typing import Any

from einops import rearrange, reduce
from mindspore import Tensor

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


def _describe(head: str, axes_lengths: dict[str, Any]) -> str:
    return head + "".join(f", {name}={length}" for name, length in axes_lengths.items())
