"""Layout, resizing and normalization functions that mint.nn.functional lacks."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from ..nn import _device as F

__all__ = [
    "affine_grid",
    "channel_shuffle",
    "conv_transpose1d",
    "conv_transpose3d",
    "instance_norm",
    "local_response_norm",
    "pixel_unshuffle",
    "rms_norm",
    "upsample_bilinear",
    "upsample_nearest",
]


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Return (*, C, H * r, W * r) as (*, C * r * r, H, W)."""
    r = downscale_factor
    lead = tuple(input.shape[:-3])
    channels, height, width = input.shape[-3:]
    split = input.reshape((-1, channels, height // r, r, width // r, r))
    return split.permute((0, 1, 3, 5, 2, 4)).reshape(lead + (channels * r * r, height // r, width // r))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels (dimension 1) of `groups` groups."""
    split = input.reshape((input.shape[0], groups, input.shape[1] // groups) + tuple(input.shape[2:]))
    return split.swapaxes(1, 2).reshape(input.shape)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize by the nearest elements."""
    return F.interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize (N, C, H, W) bilinearly, the corners aligned."""
    return F.interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return the sampling grid (N, H, W, 2) or (N, D, H, W, 3) of affine maps `theta`."""
    n = len(size) - 2
    lines = []
    for length in tuple(size)[2:]:
        step = mint.linspace(-1, 1, length, dtype=theta.dtype)
        step = step if align_corners else step * ((length - 1) / length)
        lines.append(step if length > 1 else mint.zeros_like(step))
    grids = mint.meshgrid(*lines, indexing="ij")
    points = [grids[n - 1 - i].reshape(-1) for i in range(n)] + [mint.ones_like(grids[0].reshape(-1))]
    base = mint.stack(points, 1)
    placed = mint.matmul(base, theta.swapaxes(1, 2))
    return placed.reshape((size[0],) + tuple(size)[2:] + (n,))


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divide by the root mean square over the trailing dimensions `normalized_shape`."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    d = tuple(range(input.ndim - len(shape), input.ndim))
    if eps is None:
        eps = 2.220446049250313e-16 if input.dtype == mindspore.float64 else 1.1920928955078125e-07
    y = input * mint.rsqrt(mint.mean(input * input, d, True) + eps)
    return y if weight is None else y * weight


def instance_norm(
    input: Tensor,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each sample; the running statistics move towards the mean over the batch."""
    if not use_input_stats:
        return F.batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    d = tuple(range(2, input.ndim))
    count = 1
    for a in d:
        count = count * input.shape[a]
    if count <= 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {list(input.shape)}")
    average = mint.mean(input, d, True)
    centred = input - average
    variance = mint.mean(centred * centred, d, True)
    if running_mean is not None:
        _move(running_mean, average, momentum, 1.0)
    if running_var is not None:
        _move(running_var, variance, momentum, count / (count - 1))
    y = centred * mint.rsqrt(variance + eps)
    shape = (1, -1) + (1,) * (input.ndim - 2)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def _move(running: Any, found: Tensor, momentum: float, factor: float) -> None:
    new = mint.mean(ops.stop_gradient(found).reshape((found.shape[0], found.shape[1])), 0) * factor
    ops.assign(running, running * (1 - momentum) + new * momentum)


def _refuse_integers(name: str, x: Tensor) -> None:
    if not x.is_floating_point():
        raise NotImplementedError(f"mint.nn.functional.{name} of {x.dtype}: convert to floats first")


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide by (k + alpha * the mean square over `size` neighbouring channels) ** beta."""
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    _refuse_integers("local_response_norm", input)
    lead = (input.shape[0], 1, input.shape[1])
    squares = (input * input).reshape(lead + (-1,))
    padded = F.pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = F.avg_pool2d(padded, (size, 1), 1).reshape(input.shape)
    return input / mint.pow(means * alpha + k, beta)


def _tuple(value: Any, n: int) -> tuple[int, ...]:
    return (value,) * n if isinstance(value, int) else tuple(value)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, L) or (C, L) with kernels (C, O / groups, k)."""
    _refuse_integers("conv_transpose1d", input)
    one = [_tuple(v, 1) for v in (stride, padding, output_padding, dilation)]
    y = F.conv_transpose2d(
        input.unsqueeze(-2),
        weight.unsqueeze(-2),
        bias,
        (1,) + one[0],
        (0,) + one[1],
        (0,) + one[2],
        groups,
        (1,) + one[3],
    )
    return y.squeeze(-2)


def _spaced(x: Tensor, d: int, stride: int) -> Tensor:
    """Return `x` with stride - 1 zeros between its slices along `d`."""
    if stride == 1:
        return x
    size = x.shape[d]
    zeros = mint.zeros(tuple(x.shape[: d + 1]) + (stride - 1,) + tuple(x.shape[d + 1 :]), dtype=x.dtype)
    wide = mint.cat((x.unsqueeze(d + 1), zeros), d + 1)
    wide = wide.reshape(tuple(x.shape[:d]) + (size * stride,) + tuple(x.shape[d + 1 :]))
    return mint.narrow(wide, d, 0, (size - 1) * stride + 1)


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, D, H, W) or (C, D, H, W): a convolution of the spaced input."""
    _refuse_integers("conv_transpose3d", input)
    if input.ndim == 4:
        x = input.unsqueeze(0)
        return conv_transpose3d(x, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
    steps, pads, extra, spread = [_tuple(v, 3) for v in (stride, padding, output_padding, dilation)]
    x = input
    flat: tuple[int, ...] = ()
    for i in range(3):
        x = _spaced(x, 2 + i, steps[i])
        before = spread[i] * (weight.shape[2 + i] - 1) - pads[i]
        flat = (before, before + extra[i]) + flat
    kernels = mint.flip(weight, (2, 3, 4))
    inputs, outputs, kernel = weight.shape[0], weight.shape[1], tuple(weight.shape[2:])
    kernels = kernels.reshape((groups, inputs // groups, outputs) + kernel).swapaxes(1, 2)
    kernels = kernels.reshape((groups * outputs, inputs // groups) + kernel)
    return F.conv3d(F.pad(x, flat), kernels, bias, 1, 0, spread, groups)
