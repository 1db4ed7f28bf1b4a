"""Activations and dropouts that mint.nn.functional lacks."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, ops

from ..._device_target import IS_CPU
from .. import _device as mint
from ..nn import _device as F

if IS_CPU:
    from .._cpu import draws

__all__ = [
    "alpha_dropout",
    "celu",
    "dropout1d",
    "dropout3d",
    "feature_alpha_dropout",
    "gumbel_softmax",
    "rrelu",
    "softmin",
    "softsign",
    "tanhshrink",
]


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input above 0, alpha * (exp(input / alpha) - 1) below."""
    positive = input > 0
    below = mint.expm1(mint.where(positive, mint.zeros_like(input), input) / alpha) * alpha
    return mint.where(positive, input, below)


def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + |input|)."""
    return input / (mint.abs(input) + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input)."""
    return input - mint.tanh(input)


def softmin(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return softmax(-input)."""
    return F.softmax(-input, dim, dtype=dtype)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """Return input above 0, below it a multiple drawn from [lower, upper) in training, else their middle."""
    if not training:
        return F.leaky_relu(input, (lower + upper) / 2)
    slope = mint.rand_like(input) * (upper - lower) + lower
    return mint.where(input >= 0, input, input * slope)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Return a sample of the Gumbel-softmax distribution; `hard` makes it one-hot with the gradient of the soft one."""
    gumbels = -mint.log(_exponential(logits))
    soft = F.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    index = mint.argmax(soft, dim, True)
    one_hot = mint.scatter(mint.zeros_like(soft), dim, index, 1.0)
    return one_hot - ops.stop_gradient(soft) + soft


def _exponential(like: Tensor) -> Tensor:
    return draws.exponential(like) if IS_CPU else -mint.log1p(-mint.rand_like(like))


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero whole channels of (N, C, L) or (C, L) with probability `p`."""
    return _of_channels(input, p, training, 1)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero whole channels of (N, C, D, H, W) or (C, D, H, W) with probability `p`."""
    return _of_channels(input, p, training, 3)


def _of_channels(x: Tensor, p: float, training: bool, n: int) -> Tensor:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return x
    lead = tuple(x.shape[: x.ndim - n])
    return x * F.dropout(mint.ones(lead + (1,) * n, dtype=x.dtype), p, True)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of self-normalizing activations."""
    return _alpha(input, tuple(input.shape), p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Alpha dropout of whole channels (the first two dimensions)."""
    return _alpha(input, tuple(input.shape[:2]) + (1,) * (input.ndim - 2), p, training)


def _alpha(x: Tensor, shape: tuple[int, ...], p: float, training: bool) -> Tensor:
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    saturation = -1.7580993408473766
    scale = 1.0 / ((saturation * saturation * p + 1) * (1 - p)) ** 0.5
    kept = F.dropout(mint.ones(shape, dtype=x.dtype), p, True) * (1 - p)
    return x * (kept * scale) + (1 - kept) * (saturation * scale) + p * -saturation * scale
