"""Activations. Subgradients at kinks are PyTorch's, which MindSpore's kernels share or halve."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from . import draws
from .common import as_float, axis, check_probability, exactly, filled, has_nan, product, spread, zeros_of
from .transcendental import sigmoid, tanh

__all__ = [
    "dropout",
    "dropout2d",
    "elu",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "softshrink",
    "tanh",
    "threshold",
]

# beyond this the kernels of softmax lose digits of float32
_NEAR = 16.0


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0); nan stays nan."""
    if not compiling() and has_nan(input):
        return mint.where(input <= 0, filled((), 0, input.dtype), input)
    return ops.relu(input)


def threshold(input: Tensor, threshold: Any, value: Any, inplace: bool = False) -> Tensor:
    """Return the elements above `threshold`, else `value`; nan stays nan."""
    return mint.where(input <= threshold, filled((), value, input.dtype), input)


def hardtanh(input: Tensor, min_val: Any = -1.0, max_val: Any = 1.0, inplace: bool = False) -> Tensor:
    """Clip to [min_val, max_val]; the gradient at both ends is 0, nan stays nan."""
    low, high = filled((), min_val, input.dtype), filled((), max_val, input.dtype)
    return mint.where(input <= min_val, low, mint.where(input >= max_val, high, input))


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Clip to [0, 6]."""
    return hardtanh(input, 0.0, 6.0)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input above 0, alpha * (exp(input) - 1) below."""
    if twice():
        below = exactly(mint.expm1, mint.where(input > 0, filled((), 0, input.dtype), input)) * alpha
        return mint.where(input > 0, input, below)
    if alpha == 1:
        return exactly(ops.elu, input)
    return mint.where(input <= 0, exactly(ops.elu, input) * alpha, input)


def selu(input: Tensor) -> Tensor:
    """Return the scaled ELU of self-normalizing networks."""
    return elu(input, 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Return input above 0, negative_slope * input below and at 0."""
    # MindSpore's kernel gives the mean of both slopes at 0
    return input * negative_slope + ops.relu(input) * (1 - negative_slope)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return input above 0, weight * input below; `weight` holds one number, or one per channel (dimension 1)."""
    positive = ops.relu(input)
    # the difference of both is nan where the input is infinite
    negative = mint.where(input > 0, filled((), 0, input.dtype), input)
    if weight.ndim == 1 and weight.shape[0] > 1:
        if input.ndim > 1:
            slopes = spread(weight, input.shape[0], product(input.shape[2:]))
            return positive + negative * slopes.reshape(input.shape)
        return positive + negative * weight
    return positive + negative * weight.reshape(())


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return the Gaussian error linear unit; `approximate` is "none" or "tanh"."""
    if approximate == "tanh":
        # (1 + tanh(z)) / 2 is sigmoid(2 z)
        return input * mint.sigmoid((input + input * input * input * 0.044715) * 1.5957691216057308)
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input * 0.5 * (mint.erf(input * 0.7071067811865476) + 1)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input * sigmoid(input)."""
    return mint.nn.functional.silu(input)


def mish(input: Tensor) -> Tensor:
    """Return input * tanh(softplus(input))."""
    return input * tanh(softplus(input))


def softplus(input: Tensor, beta: Any = 1, threshold: Any = 20) -> Tensor:
    """Return log(1 + exp(beta * input)) / beta; linear where beta * input exceeds `threshold`."""
    x = input if beta == 1 else input * beta
    if not compiling() and bool(np.isposinf(x.asnumpy()).any()):
        endless = x == float("inf")
        return mint.where(endless, input, softplus(mint.where(endless, filled((), 0, x.dtype), x), 1, threshold) / beta)
    curve = exactly(_softplus, x)
    curve = curve if beta == 1 else curve / beta
    return curve if threshold >= 20 else mint.where(x > threshold, input, curve)


def _softplus(x: Tensor) -> Tensor:
    # a constant shift keeps the exponentials finite and leaves all derivatives right, also at 0
    shift = ops.stop_gradient(ops.relu(x))
    return shift + mint.log(mint.exp(-shift) + mint.exp(x - shift))


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input))."""
    return -softplus(-input, 1, float("inf"))


def hardsigmoid(input: Tensor) -> Tensor:
    """Return clip(input / 6 + 1/2, 0, 1)."""
    return hardtanh(input, -3.0, 3.0) / 6 + 0.5


def hardswish(input: Tensor) -> Tensor:
    """Return input * clip(input + 3, 0, 6) / 6; the gradient is 0 at -3 and 1 at 3."""
    if not (twice() or compiling() or _is_beyond_kernel(input)):
        return mint.nn.functional.hardswish(input)
    near = mint.where(mint.abs(input) < 3, input, filled((), 0, input.dtype))
    inside = mint.where(input < 3, near * (near + 3) / 6, input)
    return mint.where(input <= -3, input * 0, inside)


def _is_beyond_kernel(x: Tensor) -> bool:
    """Whether an element is a kink, or no finite number."""
    values = np.abs(x.asnumpy())
    return not np.isfinite(values).all() or bool((values == 3).any())


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return the elements outside [-lambd, lambd], else 0; nan stays nan."""
    return mint.where(mint.abs(input) <= lambd, filled((), 0, input.dtype), input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return the elements moved towards 0 by `lambd`, 0 inside [-lambd, lambd]; nan stays nan."""
    outside = mint.where(input > lambd, input - lambd, input + lambd)
    return mint.where(mint.abs(input) <= lambd, filled((), 0, input.dtype), outside)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half of `dim` times the sigmoid of the second half."""
    d = axis(input, dim)
    half = input.shape[d] // 2
    if half * 2 != input.shape[d]:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[d]}")
    return mint.narrow(input, d, 0, half) * mint.sigmoid(mint.narrow(input, d, half, half))


def _implicit(rank: int) -> int:
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Return exp(input) normalized to a sum of 1 along `dim`."""
    x = as_float(input) if dtype is None else input.astype(dtype)
    if x.size == 0:
        return x.copy()
    if x.ndim == 0:
        return x - x + 1
    d = axis(x, _implicit(x.ndim) if dim is None else dim)
    # the kernel computes float64 with the precision of float32, and loses digits of large numbers
    if twice() or x.dtype == mindspore.float64 or not compiling() and _is_far(x, d):
        exponentials = mint.exp(x - _peak(x, d))
        return exponentials / mint.sum(exponentials, d, True)
    # the gradient of MindSpore's softmax is wrong once any softmax ran along a dimension of size one
    return mint.exp(ops.log_softmax(x, d))


def _is_far(x: Tensor, d: int) -> bool:
    """Whether the largest element of any row along `d` is far from zero, or nan."""
    if x.dtype != mindspore.float32:
        return False
    peaks = x.asnumpy().max(d)
    return not bool(np.all((np.abs(peaks) <= _NEAR) | np.isneginf(peaks)))


def _peak(x: Tensor, d: int) -> Tensor:
    return ops.stop_gradient(mint.amax(x, d, True))


def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return the logarithm of softmax along `dim`."""
    x = as_float(input) if dtype is None else input.astype(dtype)
    if x.size == 0:
        return x.copy()
    if x.ndim == 0:
        return x - x
    d = axis(x, _implicit(x.ndim) if dim is None else dim)
    if twice() or x.dtype == mindspore.float64:
        shifted = x - _peak(x, d)
        return shifted - mint.log(mint.sum(mint.exp(shifted), d, True))
    return ops.log_softmax(x, d)


def _kept(x: Tensor, shape: tuple[int, ...], p: float) -> Tensor:
    """Return a mask of `shape`: 1 / (1 - p) with probability 1 - p, else 0."""
    return draws.keep(1 - p, shape, None, x.dtype) / (1 - p)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements with probability `p` and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if not training or p == 0 or input.size == 0:
        return input
    if p == 1:
        return input * zeros_of((), input)
    return input * _kept(input, input.shape, p)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero whole channels (the first two dimensions) with probability `p` and scale the others by 1 / (1 - p)."""
    check_probability(p)
    if not training or p == 0 or input.size == 0:
        return input
    if p == 1:
        return input * zeros_of((), input)
    shape = tuple(input.shape[:2]) + (1,) * (input.ndim - 2)
    return input * mint.broadcast_to(_kept(input, shape, p), input.shape)
