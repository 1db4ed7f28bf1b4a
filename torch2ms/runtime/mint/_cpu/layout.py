"""Padding, patches, one-hot rows, embeddings, linear maps."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from ... import _second_order as second_order
from .._trace import compiling, twice
from .common import SMALL, filled, image_size, product, times, zeros_of

__all__ = ["embedding", "fold", "linear", "one_hot", "pad", "pixel_shuffle", "unfold"]


def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return input @ weight.T + bias over the last dimension."""
    if twice():
        return second_order.linear(input, weight, bias)
    outputs = weight.shape[0]
    rows = input.size // input.shape[-1] if input.shape[-1] else 0
    if weight.ndim != 2 or rows * outputs < SMALL:
        return mint.nn.functional.linear(input, weight, bias)
    # the dense kernel adds its bias by slow broadcasting
    y = _times_transposed(input.reshape((rows, input.shape[-1])), weight)
    y = y if bias is None else ops.bias_add(y, bias)
    return y.reshape(tuple(input.shape[:-1]) + (outputs,))


_times_transposed = ops.MatMul(transpose_b=True)


@ops.constexpr(check=False)
def _pad_plan(shape: tuple[int, ...], pads: tuple[int, ...]) -> Any:
    """Return (dimension, cut before, length kept, added before, added after) of each padded dimension."""
    if len(pads) % 2 or len(pads) // 2 > len(shape):
        raise RuntimeError("Padding length must be divisible by 2 and at most twice the number of dimensions")
    plan = []
    for i in range(len(pads) // 2):
        d, low, high = len(shape) - 1 - i, pads[2 * i], pads[2 * i + 1]
        kept = shape[d] - max(0, -low) - max(0, -high)
        if low or high:
            plan.append((d, max(0, -low), kept, max(0, low), max(0, high)))
    return tuple(plan)


@ops.constexpr(check=False)
def _sources(size: int, before: int, after: int, mode: str) -> Tensor:
    """Return from where each element along a padded dimension comes."""
    places = np.arange(-before, size + after)
    if mode == "reflect":
        if before >= size or after >= size:
            raise RuntimeError("Padding size should be less than the corresponding input dimension")
        places = np.abs(places)
        places = np.where(places >= size, 2 * (size - 1) - places, places)
    elif mode == "replicate":
        places = np.clip(places, 0, size - 1)
    else:
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        places = places % size
    return Tensor(places.astype(np.int64))


def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Pad the last dimensions: (left, right, top, bottom, ...); mode constant, reflect, replicate or circular."""
    pads = tuple(pad)
    plan = _pad_plan(input.shape, pads)
    if len(plan) == 0:
        return input.copy()
    x = input
    if mode == "constant" or mode == "circular":
        # a negative side cuts: here before anything is added, in the other modes afterwards
        for d, first, kept, _, _ in plan:
            if kept < x.shape[d]:
                x = mint.narrow(x, d, first, kept)
    for d, _, _, before, after in plan:
        if mode == "constant":
            x = _filled_around(x, d, before, after, value)
        elif mode == "circular":
            x = ops.gather(x, _sources(x.shape[d], before, after, mode), d)
        elif mode == "reflect" or mode == "replicate":
            low, high = pads[2 * (input.ndim - 1 - d)], pads[2 * (input.ndim - 1 - d) + 1]
            x = ops.gather(x, _sources(x.shape[d], low, high, mode), d)
        else:
            raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return x


def _filled_around(x: Tensor, d: int, before: int, after: int, value: Any) -> Tensor:
    if before == 0 and after == 0:
        return x
    number = 0 if value is None else value
    shape = x.shape
    parts = [x] if x.shape[d] else []
    if before:
        parts = [filled(shape[:d] + (before,) + shape[d + 1 :], number, x.dtype)] + parts
    if after:
        parts = parts + [filled(shape[:d] + (after,) + shape[d + 1 :], number, x.dtype)]
    return mint.cat(parts, d) if len(parts) > 1 else parts[0]


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Return the patches of (N, C, H, W) or (C, H, W) as columns (N, C * kH * kW, L)."""
    if input.ndim == 3:
        return unfold(input.unsqueeze(0), kernel_size, dilation, padding, stride).squeeze(0)
    k, d, p, s = [times(v, 2) for v in (kernel_size, dilation, padding, stride)]
    if input.shape[0] == 0:
        out = [(input.shape[2 + i] + 2 * p[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
        return zeros_of((0, input.shape[1] * k[0] * k[1], out[0] * out[1]), input)
    if input.dtype == mindspore.bool_:
        return ops.unfold(input.astype(mindspore.uint8), k, d, p, s).astype(mindspore.bool_)
    return ops.unfold(input, k, d, p, s)


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Return the image (N, C, H, W) of size `output_size` that is the sum of the columns (N, C * kH * kW, L)."""
    if input.ndim == 2:
        return fold(input.unsqueeze(0), output_size, kernel_size, dilation, padding, stride).squeeze(0)
    size, kernel = times(output_size, 2), times(kernel_size, 2)
    columns = input.reshape((input.shape[0], input.shape[1] // product(kernel), product(kernel), input.shape[2]))
    return ops.fold(columns, image_size(size), kernel, times(dilation, 2), times(padding, 2), times(stride, 2))


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Return (*, C * r * r, H, W) as (*, C, H * r, W * r)."""
    r = upscale_factor
    lead = tuple(input.shape[:-3])
    channels, height, width = input.shape[-3:]
    split = input.reshape((product(lead), channels // (r * r), r, r, height, width))
    return split.permute((0, 1, 4, 2, 5, 3)).reshape(lead + (channels // (r * r), height * r, width * r))


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 rows with a 1 at the class; -1 takes the number of classes from the data."""
    if num_classes == -1 or not compiling():
        classes = _class_count(tensor, num_classes)
    else:
        classes = num_classes
    eye = mint.eye(classes, classes, mindspore.int64)
    return ops.gather(eye, tensor, 0)


def _class_count(tensor: Tensor, num_classes: int) -> int:
    labels = tensor.asnumpy()
    if labels.size == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return num_classes
    if labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes != -1 and labels.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return int(labels.max()) + 1 if num_classes == -1 else num_classes


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Tensor:
    """Return the rows `input` of `weight`; the row `padding_idx` gets no gradient."""
    if not compiling():
        _check_rows(input, weight.shape[0])
    if max_norm is not None:
        _renormalize(input, weight, max_norm, norm_type)
    table = weight
    if padding_idx is not None:
        table = mint.where(_other_rows(weight.shape[0], padding_idx), weight, ops.stop_gradient(weight))
    rows = ops.gather(table, input, 0)
    if scale_grad_by_freq:
        share = _shares(input, rows.dtype)
        return rows * share + ops.stop_gradient(rows * (1 - share))
    return rows


@ops.constexpr(check=False)
def _other_rows(count: int, padding_idx: int) -> Tensor:
    return Tensor((np.arange(count) != padding_idx % count)[:, None])


def _check_rows(input: Tensor, count: int) -> None:
    rows = input.asnumpy()
    if rows.size and (rows.min() < 0 or rows.max() >= count):
        raise IndexError("index out of range in self")


def _renormalize(input: Tensor, weight: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are used down to `max_norm`, in place as PyTorch does."""
    table = weight.asnumpy().copy()
    for row in np.unique(input.asnumpy()):
        norm = np.linalg.norm(table[row], ord=norm_type)
        if norm > max_norm:
            table[row] *= max_norm / (norm + 1e-7)
    ops.assign(weight, Tensor(table))


def _shares(input: Tensor, dtype: Any) -> Tensor:
    """Return one over how often each index occurs, as a last dimension of one."""
    _, inverse, counts = np.unique(input.asnumpy(), return_inverse=True, return_counts=True)
    return Tensor((1.0 / counts)[inverse].reshape(tuple(input.shape) + (1,)), dtype)
