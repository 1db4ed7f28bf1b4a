"""The operators below PyTorch's functions that programs call by name.

https://docs.pytorch.org/docs/stable/torch.compiler_ir.html
"""

from __future__ import annotations

import math
from typing import Any

import mindspore
from mindspore import Tensor

from .. import _device as mint
from ..nn import _device as F

__all__ = ["grid_sampler", "native_group_norm", "native_layer_norm", "nonzero_static"]

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Return `grid_sample` with its modes as numbers."""
    return F.grid_sample(input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners)


def _normal(x: Tensor, dim: Any, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return `x` without mean and deviation along `dim`, the mean and the reciprocal deviation."""
    mean = mint.mean(x, dim, True)
    centred = x - mean
    scale = mint.rsqrt(mint.mean(centred * centred, dim, True) + eps)
    return centred * scale, mean, scale


def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the layer norm, the means and the reciprocal deviations."""
    count = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    found, mean, scale = _normal(input, tuple(range(-count, 0)), eps)
    found = found if weight is None else found * weight
    return found if bias is None else found + bias, mean, scale


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the group norm, and the means and reciprocal deviations (N, group)."""
    rows = input.reshape((N, group, math.prod((C // group, HxW))))
    found, mean, scale = _normal(rows, -1, eps)
    found = found.reshape(input.shape)
    shape = (1, C) + (1,) * (input.ndim - 2)
    found = found if weight is None else found * weight.reshape(shape)
    found = found if bias is None else found + bias.reshape(shape)
    return found, mean.squeeze(-1), scale.squeeze(-1)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the first `size` rows of `nonzero`, with rows of `fill_value` where there are fewer."""
    found = mint.nonzero(input)
    if found.shape[0] >= size:
        return mint.narrow(found, 0, 0, size)
    rest = mint.full((size - found.shape[0], found.shape[1]), fill_value, dtype=mindspore.int64)
    return mint.cat((found, rest), 0)
