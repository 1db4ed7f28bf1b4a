"""Pooling. Maxima are gathered by their indices: the gradient of the pooling kernels is slow and has none itself."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .common import filled, is_float, pick, product, times, zeros_of
from .products import matmul
from .reduction import _sum, mean

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool2d",
    "max_unpool2d",
]


def _picked(x: Tensor, places: Tensor, n: int) -> Tensor:
    """Return the elements of the last `n` dimensions at flat `places`."""
    lead = tuple(x.shape[: x.ndim - n])
    flat = x.reshape((product(lead), -1))
    return pick(flat, 1, places.reshape((product(lead), -1))).reshape(places.shape)


def _ranked(x: Tensor) -> Tensor:
    """Return a tensor whose maxima stand where PyTorch finds those of `x`: nan counts more than any number.

    The kernel finds nothing in a window of minus infinities.
    """
    if compiling() or x.dtype == mindspore.bfloat16 or np.isfinite(x.asnumpy()).all():
        return x
    largest = float(np.finfo(mindspore.dtype_to_nptype(x.dtype)).max) * 0.99
    return mint.where(mint.isnan(x), filled((), float("inf"), x.dtype), mint.clamp(x, -largest, largest))


def max_pool_nd(
    n: int, input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, return_indices: bool
) -> Any:
    """Return the maxima of the windows over the last `n` (1, 2 or 3) dimensions, with their flat indices if asked."""
    size, steps = times(kernel, n), times(kernel if stride is None or stride == () else stride, n)
    pads, spread = times(padding, n), times(dilation, n)
    lead = tuple(input.shape[: input.ndim - n])
    space = tuple(input.shape[input.ndim - n :])
    still = ops.stop_gradient(input).reshape((1, product(lead)) + (1,) * (2 - n) + space)
    still = _ranked(still) if is_float(still) else still.astype(mindspore.float64)
    if n == 3:
        places = ops.max_pool3d(still, size, steps, pads, spread, ceil_mode, True)[1]
    else:
        one = (1,) * (2 - n)
        zero = (0,) * (2 - n)
        places = ops.max_pool2d(still, one + size, one + steps, zero + pads, one + spread, True, ceil_mode)[1]
    places = places.reshape(lead + tuple(places.shape[places.ndim - n :])).astype(mindspore.int64)
    values = _picked(input, places, n)
    return (values, places) if return_indices else values


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maxima of the windows of (N, C, H, W) or (C, H, W)."""
    return max_pool_nd(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Return zeros with the pooled maxima put back at their indices."""
    size, steps, pads = times(kernel_size, 2), times(kernel_size if stride is None else stride, 2), times(padding, 2)
    if output_size is None:
        out = tuple([(input.shape[-2 + i] - 1) * steps[i] - 2 * pads[i] + size[i] for i in range(2)])
    else:
        out = tuple(output_size)[-2:]
    lead = tuple(input.shape[:-2])
    rows = product(lead)
    flat = zeros_of((rows, out[0] * out[1]), input)
    placed = ops.tensor_scatter_elements(flat, indices.reshape((rows, -1)), input.reshape((rows, -1)), 1)
    return placed.reshape(lead + out)


@ops.constexpr(check=False)
def _window_counts(
    sizes: Any, kernel: Any, stride: Any, padding: Any, out: Any, include_pad: bool, dtype: Any
) -> Tensor:
    """Return by how much each window's sum is divided, on the grid of windows."""
    grid: Any = np.ones(())
    for size, k, s, p, o in zip(sizes, kernel, stride, padding, out):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, size + p)
        count = end - start if include_pad else np.minimum(end, size) - np.maximum(start, 0)
        grid = np.multiply.outer(grid, count)
    return Tensor(grid, dtype)


def _windows(size: int, k: int, s: int, p: int, ceil_mode: bool) -> int:
    span = size + 2 * p - k
    out = (-(-span // s) if ceil_mode else span // s) + 1
    return out - 1 if ceil_mode and (out - 1) * s >= size + p else out


@ops.constexpr(check=False)
def _padding_after(shape: Any, k: Any, s: Any, p: Any, out: Any) -> tuple[int, ...]:
    return tuple(max(p[i], (out[i] - 1) * s[i] + k[i] - shape[1 + i] - p[i]) for i in range(2))


def _window_sums(x: Tensor, k: tuple[int, ...], s: tuple[int, ...], p: tuple[int, ...], out: tuple[int, ...]) -> Tensor:
    """Return the sums of the windows of (M, H, W) as (M, oH, oW)."""
    after = _padding_after(x.shape, k, s, p, out)
    planes = x.unsqueeze(1)
    if after[0] == p[0] and after[1] == p[1]:
        patches = ops.unfold(planes, k, 1, p, s)
    else:
        patches = ops.unfold(ops.pad(planes, (p[1], after[1], p[0], after[0])), k, 1, 0, s)
    sums = _sum(patches, (1,), False)
    found = [(x.shape[1 + i] + p[i] + after[i] - k[i]) // s[i] + 1 for i in range(2)]
    grid = sums.reshape((x.shape[0], found[0], found[1]))
    return grid[:, : out[0], : out[1]] if tuple(found) != out else grid


def _avg_pool(
    n: int, x: Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, include_pad: bool, divisor: Any
) -> Tensor:
    if not is_float(x):
        raise NotImplementedError(f"mint.nn.functional.avg_pool{n}d of {x.dtype}: pool x.float()")
    k, p = times(kernel, n), times(padding, n)
    s = k if stride is None or stride == () else times(stride, n)
    lead, sizes = tuple(x.shape[: x.ndim - n]), tuple(x.shape[x.ndim - n :])
    out = tuple([_windows(sizes[i], k[i], s[i], p[i], ceil_mode) for i in range(n)])
    rows = product(lead)
    if rows == 0:
        return zeros_of(lead + out, x)
    if n == 1:
        sums = _window_sums(x.reshape((rows, 1) + sizes), (1,) + k, (1,) + s, (0,) + p, (1,) + out)
    elif n == 2:
        plain = not ceil_mode and (include_pad or p == (0, 0)) and divisor is None and not twice()
        # the kernel's gradient does not know doubles
        if plain and x.dtype != mindspore.float64:
            return ops.avg_pool2d(x.reshape((1, rows) + sizes), k, s, (p[0], p[0], p[1], p[1]), False, True).reshape(
                lead + out
            )
        sums = _window_sums(x.reshape((rows,) + sizes), k, s, p, out)
    else:
        planes = _window_sums(x.reshape((rows * sizes[0],) + sizes[1:]), k[1:], s[1:], p[1:], out[1:])
        columns = planes.reshape((rows, sizes[0], out[1] * out[2]))
        sums = _window_sums(columns, (k[0], 1), (s[0], 1), (p[0], 0), (out[0], out[1] * out[2]))
    sums = sums.reshape(lead + out)
    if divisor is not None:
        return sums / divisor
    if not ceil_mode and (include_pad or p == (0,) * n):
        return sums / product(k)
    return sums / _window_counts(sizes, k, s, p, out, include_pad, x.dtype)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the means of the windows of (N, C, L) or (C, L)."""
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the means of the windows of (N, C, H, W) or (C, H, W)."""
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the means of the windows of (N, C, D, H, W) or (C, D, H, W)."""
    return _avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@ops.constexpr(check=False)
def _averaging(size: int, out: int, dtype: Any) -> Tensor:
    """Return the (size, out) matrix whose columns average the adaptive windows."""
    weights = np.zeros((size, out))
    for j in range(out):
        first, end = j * size // out, -(-(j + 1) * size // out)
        weights[first:end, j] = 1.0 / (end - first)
    return Tensor(weights, dtype)


def _adaptive_avg(n: int, x: Tensor, output_size: Any) -> Tensor:
    out = times(output_size, n) if output_size is not None else (None,) * n
    if x.size == 0:
        sizes = [x.shape[x.ndim - n + i] if out[i] is None else out[i] for i in range(n)]
        return zeros_of(tuple(x.shape[: x.ndim - n]) + tuple(sizes), x)
    if out == (1,) * n:
        lead = tuple(x.shape[: x.ndim - n])
        flat = x.reshape((product(lead), product(x.shape[x.ndim - n :])))
        return mean(flat, 1).reshape(lead + (1,) * n)
    for i in range(n):
        d = x.ndim - n + i
        size = x.shape[d]
        wanted = size if out[i] is None else out[i]
        if wanted != size:
            moved = x if d == x.ndim - 1 else x.swapaxes(d, -1)
            pooled = matmul(moved.reshape((-1, size)), _averaging(size, wanted, x.dtype))
            pooled = pooled.reshape(tuple(moved.shape[:-1]) + (wanted,))
            x = pooled if d == x.ndim - 1 else pooled.swapaxes(d, -1)
    return x


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over `output_size` windows of (N, C, L) or (C, L)."""
    return _adaptive_avg(1, input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over a grid of windows of (N, C, H, W) or (C, H, W)."""
    return _adaptive_avg(2, input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over a grid of windows of (N, C, D, H, W) or (C, D, H, W)."""
    return _adaptive_avg(3, input, output_size)


def _adaptive_max(n: int, x: Tensor, output_size: Any, return_indices: bool) -> Any:
    sizes = tuple(x.shape[x.ndim - n :])
    out = times(output_size, n) if output_size is not None else sizes
    out = tuple([sizes[i] if out[i] is None else out[i] for i in range(n)])
    lead = tuple(x.shape[: x.ndim - n])
    if product(lead) == 0:
        nothing = zeros_of(lead + out, x)
        return (nothing, filled(lead + out, 0, mindspore.int64)) if return_indices else nothing
    still = _ranked(ops.stop_gradient(x)).reshape((1, product(lead)) + (1,) * (2 - n) + sizes)
    if n == 3:
        places = ops.adaptive_max_pool3d(still, out, True)[1]
    else:
        places = ops.adaptive_max_pool2d(still, (1,) * (2 - n) + out, True)[1]
    places = places.reshape(lead + out).astype(mindspore.int64)
    values = _picked(x, places, n)
    return (values, places) if return_indices else values


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over `output_size` windows of (N, C, L) or (C, L)."""
    return _adaptive_max(1, input, output_size, return_indices)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over a grid of windows of (N, C, H, W) or (C, H, W)."""
    return _adaptive_max(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over a grid of windows of (N, C, D, H, W) or (C, D, H, W)."""
    return _adaptive_max(3, input, output_size, return_indices)
