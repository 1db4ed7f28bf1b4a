"""Poolings that mint.nn.functional lacks."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, ops

from ..._device_target import IS_CPU
from .. import _device as mint
from ..nn import _device as F

if IS_CPU:
    from .._cpu.pooling import adaptive_max_pool3d as _adaptive_max_pool3d
    from .._cpu.pooling import max_pool_nd

__all__ = [
    "adaptive_max_pool3d",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool3d",
]


def _one(value: Any) -> Any:
    return value if isinstance(value, int) else value[0]


def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maxima of the windows of (N, C, L) or (C, L)."""
    k, s = _one(kernel_size), _one(kernel_size if stride is None else stride)
    found = F.max_pool2d(
        input.unsqueeze(-2), (1, k), (1, s), (0, _one(padding)), (1, _one(dilation)), ceil_mode, return_indices
    )
    return (found[0].squeeze(-2), found[1].squeeze(-2)) if return_indices else found.squeeze(-2)


def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maxima of the windows of (N, C, D, H, W) or (C, D, H, W)."""
    if IS_CPU:
        return max_pool_nd(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
    return ops.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over a grid of windows of (N, C, D, H, W) or (C, D, H, W)."""
    if IS_CPU:
        return _adaptive_max_pool3d(input, output_size, return_indices)
    return ops.adaptive_max_pool3d(input, output_size, return_indices)


def _unpool(
    input: Tensor, indices: Tensor, n: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    sizes = [(v,) * n if isinstance(v, int) else tuple(v) for v in (kernel_size, stride or kernel_size, padding)]
    space = tuple(input.shape[input.ndim - n :])
    if output_size is None:
        out = tuple([(space[i] - 1) * sizes[1][i] - 2 * sizes[2][i] + sizes[0][i] for i in range(n)])
    else:
        out = tuple(output_size)[-n:]
    lead = tuple(input.shape[: input.ndim - n])
    rows, cells, total = 1, 1, 1
    for size in lead:
        rows = rows * size
    for size in space:
        cells = cells * size
    for size in out:
        total = total * size
    flat = mint.zeros((rows, total), dtype=input.dtype)
    placed = mint.scatter(flat, 1, indices.reshape((rows, cells)), input.reshape((rows, cells)))
    return placed.reshape(lead + out)


def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Return zeros with the pooled maxima of (N, C, L) put back at their indices."""
    return _unpool(input, indices, 1, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Return zeros with the pooled maxima of (N, C, D, H, W) put back at their indices."""
    return _unpool(input, indices, 3, kernel_size, stride, padding, output_size)


def _root(mean_of_powers: Tensor, cells: int, norm_type: float) -> Tensor:
    total = mean_of_powers * cells
    return mint.pow(mint.sign(total) * mint.abs(total), 1.0 / norm_type)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """Return the p-norms of the windows of (N, C, L) or (C, L)."""
    pooled = F.avg_pool1d(mint.pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return _root(pooled, _one(kernel_size), norm_type)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """Return the p-norms of the windows of (N, C, H, W) or (C, H, W)."""
    k = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
    return _root(F.avg_pool2d(mint.pow(input, norm_type), k, stride, 0, ceil_mode), k[0] * k[1], norm_type)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """Return the p-norms of the windows of (N, C, D, H, W) or (C, D, H, W)."""
    k = (kernel_size,) * 3 if isinstance(kernel_size, int) else tuple(kernel_size)
    pooled = F.avg_pool3d(mint.pow(input, norm_type), k, stride, 0, ceil_mode)
    return _root(pooled, k[0] * k[1] * k[2], norm_type)
