"""Normalizations, written out in operations whose second derivative is right."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .arithmetic import clamp
from .common import SMALL, filled, number_like, product, spread, times
from .norms import vector_norm
from .reduction import _sum

__all__ = ["batch_norm", "group_norm", "layer_norm", "normalize"]


def _channel_sums(x: Tensor, batch: int, channels: int, inner: int) -> Tensor:
    """Return the sums of (batch, channels, inner) per channel."""
    return _sum(x.reshape((batch, channels, inner)), (0, 2), False)


def _update(running: Any, batch_value: Tensor, momentum: float) -> None:
    old = ops.stop_gradient(running)
    new = ops.stop_gradient(batch_value).astype(running.dtype)
    ops.assign(running, old * number_like(1 - momentum, old) + new * number_like(momentum, old))


def batch_norm(
    input: Tensor,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel (dimension 1); in training by the batch, whose statistics move the running ones."""
    batch, channels = (input.shape[0], input.shape[1]) if input.ndim > 1 else (1, input.shape[0])
    inner = product(input.shape[2:])
    count = batch * inner
    if input.size == 0:
        return input.copy()
    if training:
        if count == 1:
            raise ValueError(
                f"Expected more than 1 value per channel when training, got input size {list(input.shape)}"
            )
        if input.dtype == mindspore.float32 and 0 < momentum <= 1 and not twice() and not compiling():
            return _by_kernel(input, running_mean, running_var, weight, bias, momentum, eps)
        x = input.reshape((batch * channels, inner))
        average = _channel_sums(x, batch, channels, inner) / count
        centred = x - spread(average, batch, inner).reshape(x.shape)
        variance = _channel_sums(centred * centred, batch, channels, inner) / count
        if running_mean is not None:
            _update(running_mean, average, momentum)
        if running_var is not None:
            _update(running_var, variance * (count / (count - 1)), momentum)
        scale = mint.rsqrt(variance + number_like(eps, variance))
        scale = scale if weight is None else scale * weight
        y = centred * spread(scale, batch, inner).reshape(x.shape)
        y = y if bias is None else y + spread(bias, batch, inner).reshape(x.shape)
        return y.reshape(input.shape)
    scale = mint.rsqrt(running_var + number_like(eps, running_var))
    scale = scale if weight is None else scale * weight
    shift = -running_mean * scale if bias is None else bias - running_mean * scale
    scaled = input * spread(scale, batch, inner).reshape(input.shape)
    return scaled + spread(shift, batch, inner).reshape(input.shape)


def _by_kernel(
    input: Tensor, running_mean: Any, running_var: Any, weight: Any, bias: Any, momentum: float, eps: float
) -> Tensor:
    """Return the batch norm of MindSpore's kernel, which moves the running statistics itself.

    It is four times faster than the composition and has right gradients, but wrong second derivatives.
    """
    channels = (input.shape[1],)
    numbers = [
        filled(channels, start, mindspore.float32) if given is None else given
        for given, start in ((running_mean, 0), (running_var, 1), (weight, 1), (bias, 0))
    ]
    x = input if input.ndim in (2, 4) else input.reshape((input.shape[0], input.shape[1], -1, 1))
    return ops.batch_norm(x, *numbers, True, momentum, eps).reshape(input.shape)


def _standardized(x: Tensor, eps: float) -> Tensor:
    """Return the rows of a matrix with mean 0 and variance 1."""
    inner = x.shape[1]
    average = _sum(x, (1,), False) / inner
    centred = x - spread(average, 1, inner).reshape(x.shape)
    variance = _sum(centred * centred, (1,), False) / inner
    return centred * spread(mint.rsqrt(variance + number_like(eps, variance)), 1, inner).reshape(x.shape)


def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalize over the trailing dimensions `normalized_shape`."""
    shape = times(normalized_shape, 1)
    if tuple(input.shape[input.ndim - len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, ...], got {list(input.shape)}"
        )
    inner = product(shape)
    if input.size == 0:
        return input.copy()
    rows = input.size // inner
    if input.dtype == mindspore.float32 and not twice():
        gain = filled((inner,), 1, mindspore.float32) if weight is None else weight.reshape(-1)
        shift = filled((inner,), 0, mindspore.float32) if bias is None else bias.reshape(-1)
        return ops.LayerNorm(1, 1, eps)(input.reshape((rows, inner)), gain, shift)[0].reshape(input.shape)
    y = _standardized(input.reshape((rows, inner)), eps)
    y = y if weight is None else y * spread(weight.reshape(-1), rows, 1).reshape(y.shape)
    y = y if bias is None else y + spread(bias.reshape(-1), rows, 1).reshape(y.shape)
    return y.reshape(input.shape)


def group_norm(input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalize groups of channels (dimension 1) of each sample."""
    if input.size == 0:
        return input.copy()
    batch, channels = input.shape[0], input.shape[1]
    inner = product(input.shape[2:])
    if channels % num_groups:
        raise RuntimeError(f"Expected number of channels {channels} to be divisible by num_groups {num_groups}")
    if input.size < SMALL and input.dtype == mindspore.float32 and not twice():
        return mint.nn.functional.group_norm(input, num_groups, weight, bias, eps)
    y = _standardized(input.reshape((batch * num_groups, channels // num_groups * inner)), eps)
    y = y.reshape((batch * channels, inner))
    y = y if weight is None else y * spread(weight, batch, inner).reshape(y.shape)
    y = y if bias is None else y + spread(bias, batch, inner).reshape(y.shape)
    return y.reshape(input.shape)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """Divide by the `p`-norm along `dim`, at least `eps`."""
    return input / clamp(vector_norm(input, p, dim, True), min=eps)
