"""Resampling: separable interpolation as products with constant matrices, and sampling on a grid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor, mint, ops

from .common import times
from .pooling import _adaptive_avg
from .products import matmul

__all__ = ["grid_sample", "interpolate", "upsample"]

_LINEAR = {"linear": 3, "bilinear": 4, "trilinear": 5, "bicubic": 4}


def _ratio(size: int, out: int, scale: Any, align_corners: bool) -> float:
    if align_corners:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1.0 / scale if scale is not None and scale > 0 else size / out


@ops.constexpr(check=False)
def _nearest(size: int, out: int, scale: Any, exact: bool) -> Tensor:
    """Return which element each output takes; in float32, as PyTorch computes it."""
    ratio = np.float32(_ratio(size, out, scale, False))
    centre = np.arange(out, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return Tensor(np.minimum(np.floor(centre * ratio), size - 1).astype(np.int64))


@ops.constexpr(check=False)
def _blend(size: int, out: int, scale: Any, align_corners: bool, cubic: bool, dtype: Any) -> Tensor:
    """Return the (size, out) matrix whose columns blend the inputs of each output."""
    places = np.arange(out, dtype=np.float64)
    ratio = _ratio(size, out, scale, align_corners)
    source = places * ratio if align_corners else (places + 0.5) * ratio - 0.5
    if not cubic and not align_corners:
        source = np.maximum(source, 0)
    first = np.floor(source)
    if not cubic:
        first = np.minimum(first, size - 1)
    t = source - first
    weights = np.zeros((size, out))
    for offset, share in _cubic(t) if cubic else ((0, 1 - t), (1, t)):
        rows = np.clip(first + offset, 0, size - 1).astype(np.int64)
        np.add.at(weights, (rows, np.arange(out)), share)
    return Tensor(weights, dtype)


def _cubic(t: Any) -> Any:
    a = -0.75

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return ((-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t)))


@ops.constexpr(check=False)
def _target(sizes: tuple[int, ...], size: Any, scale_factor: Any, recompute: Any) -> tuple[tuple[int, ...], Any]:
    n = len(sizes)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        return times(size, n), (None,) * n
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    scales = times(scale_factor, n)
    out = tuple([int(math.floor(float(s) * f)) for s, f in zip(sizes, scales)])
    return out, (None,) * n if recompute else scales


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resize the dimensions after the second to `size`, or by `scale_factor`."""
    n = input.ndim - 2
    sizes = tuple(input.shape[2:])
    out, scales = _target(sizes, size, scale_factor, recompute_scale_factor)
    if out == sizes:
        return input.copy()
    if mode == "area":
        return _adaptive_avg(n, input, out)
    if mode in ("nearest", "nearest-exact"):
        x = input
        for i in range(n):
            if out[i] != sizes[i]:
                x = _enlarged(x, 2 + i, sizes[i], out[i], scales[i], mode == "nearest-exact")
        return x
    if mode not in _LINEAR:
        raise NotImplementedError(f"interpolate: mode {mode}")
    if _LINEAR[mode] != input.ndim:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_LINEAR[mode]}D input")
    x = input
    for i in range(n):
        if out[i] != sizes[i]:
            matrix = _blend(sizes[i], out[i], scales[i], bool(align_corners), mode == "bicubic", x.dtype)
            x = _mixed(x, 2 + i, matrix)
    return x


def _enlarged(x: Tensor, d: int, size: int, out: int, scale: Any, exact: bool) -> Tensor:
    factor = out // size
    if out == size * factor and (scale is None or scale == factor):
        shape = x.shape
        wide = mint.broadcast_to(x.unsqueeze(d + 1), shape[: d + 1] + (factor,) + shape[d + 1 :])
        return wide.reshape(shape[:d] + (out,) + shape[d + 1 :])
    return ops.gather(x, _nearest(size, out, scale, exact), d)


def _mixed(x: Tensor, d: int, matrix: Tensor) -> Tensor:
    """Multiply dimension `d` by a (size, out) matrix."""
    size, out = matrix.shape
    moved = x if d == x.ndim - 1 else x.swapaxes(d, -1)
    y = matmul(moved.reshape((-1, size)), matrix).reshape(tuple(moved.shape[:-1]) + (out,))
    return y if d == x.ndim - 1 else y.swapaxes(d, -1)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """Resize; the older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample (N, C, H, W) at the positions of `grid`, in [-1, 1]."""
    if mode == "bicubic":
        raise NotImplementedError("mint.nn.functional.grid_sample(mode='bicubic') on CPU")
    return mint.nn.functional.grid_sample(input, grid, mode, padding_mode, bool(align_corners))
