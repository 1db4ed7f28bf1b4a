"""The operations of which einops makes its functions. einops finds this class by itself once it exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mindspore
import numpy as np
from einops._backends import AbstractBackend
from mindspore import Tensor

from .. import mint

_REDUCTIONS = {"min": mint.amin, "max": mint.amax, "sum": mint.sum, "mean": mint.mean}


class MindSporeBackend(AbstractBackend):
    """MindSpore for einops."""

    framework_name = "mindspore"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Tell whether this is a MindSpore tensor."""
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: np.ndarray) -> Tensor:
        """Return an array as a tensor."""
        return Tensor(x)

    def to_numpy(self, x: Tensor) -> np.ndarray:
        """Return a tensor as an array."""
        return x.asnumpy()

    def arange(self, start: int, stop: int) -> Tensor:
        """Return the integers of a range."""
        return mint.arange(start, stop)

    def shape(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape."""
        return tuple(x.shape)

    def reshape(self, x: Tensor, shape: Sequence[Any]) -> Tensor:
        """Return the elements in another shape."""
        return x.reshape(tuple(int(length) for length in shape))

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the axes in another order."""
        return mint.permute(x, tuple(axes))

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        """Return the tensor reduced over axes."""
        if operation in _REDUCTIONS:
            return _REDUCTIONS[operation](x, tuple(axes))
        if operation in ("any", "all"):
            found = x if x.dtype == mindspore.bool_ else x != 0
            for axis in sorted(axes, reverse=True):
                found = getattr(mint, operation)(found, axis)
            return found
        if operation == "prod":
            for axis in sorted(axes, reverse=True):
                x = mint.prod(x, axis)
            return x
        raise NotImplementedError(f"Unknown reduction {operation}")

    def stack_on_zeroth_dimension(self, tensors: list[Tensor]) -> Tensor:
        """Return tensors of one shape along a new first axis."""
        return mint.stack(tensors, 0)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        """Return the tensor with a new axis of length 1."""
        return mint.unsqueeze(x, new_position)

    def add_axes(self, x: Tensor, n_axes: int, pos2len: dict[int, int]) -> Tensor:
        """Return the tensor repeated along new axes."""
        repeats = [-1] * n_axes
        for position, length in pos2len.items():
            x = mint.unsqueeze(x, position)
            repeats[position] = length
        return x.expand(*repeats)

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        """Return the tensor repeated along its axes."""
        return mint.tile(x, tuple(repeats))

    def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
        """Return tensors one after the other."""
        return mint.cat(tensors, axis)

    def is_float_type(self, x: Tensor) -> bool:
        """Tell whether the tensor holds floats."""
        return bool(x.is_floating_point())

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        """Return a sum of products."""
        return mint.einsum(pattern, *x)
