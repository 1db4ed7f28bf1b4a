"""Arithmetic, rounding and bits, element by element."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .common import as_float, filled, is_float, number_like

__all__ = [
    "addcdiv",
    "addcmul",
    "arctan2",
    "atan2",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "ceil",
    "clone",
    "div",
    "divide",
    "erfinv",
    "fix",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "isinf",
    "isneginf",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "nan_to_num",
    "polar",
    "real",
    "round",
    "trunc",
    "xlogy",
]


def clone(input: Tensor) -> Tensor:
    """Return a copy; the gradient flows through it."""
    return input.copy()


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return input + value * tensor1 * tensor2."""
    product = mint.mul(tensor1, tensor2)
    return mint.add(input, product if value == 1 else product * value)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return input + value * tensor1 / tensor2."""
    quotient = mint.div(tensor1, tensor2)
    return mint.add(input, quotient if value == 1 else quotient * value)


def atan2(input: Tensor, other: Tensor) -> Tensor:
    """Return the angle of the point (other, input)."""
    return ops.atan2(as_float(input), as_float(other))


arctan2 = atan2


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Return log(exp(input) + exp(other))."""
    larger = mint.where(input > other, input, other)
    smaller = mint.where(input > other, other, input)
    # equal infinities have the difference nan
    gap = mint.where(larger == smaller, filled((), 0, larger.dtype), smaller - larger)
    return larger + mint.log1p(mint.exp(gap))


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Return log2(2 ** input + 2 ** other)."""
    ln2 = number_like(0.6931471805599453, input)
    return logaddexp(input * ln2, other * ln2) / ln2


def bitwise_and(input: Any, other: Any) -> Tensor:
    """Return the bitwise AND of integers or booleans."""
    return ops.bitwise_and(*_bits(input, other))


def bitwise_or(input: Any, other: Any) -> Tensor:
    """Return the bitwise OR of integers or booleans."""
    return ops.bitwise_or(*_bits(input, other))


def bitwise_xor(input: Any, other: Any) -> Tensor:
    """Return the bitwise XOR of integers or booleans."""
    return ops.bitwise_xor(*_bits(input, other))


def _bits(input: Any, other: Any) -> tuple[Any, Any]:
    if not isinstance(other, Tensor):
        return (input, filled((), other, input.dtype))
    if not isinstance(input, Tensor):
        return (filled((), input, other.dtype), other)
    return (input, other)


def bitwise_not(input: Tensor) -> Tensor:
    """Return the bitwise NOT of integers or booleans."""
    if input.dtype == mindspore.bool_:
        return mint.logical_not(input)
    return -1 - input if input.dtype != mindspore.uint8 else 255 - input


def ceil(input: Tensor) -> Tensor:
    """Return the smallest integer not below."""
    return mint.ceil(input) if is_float(input) else input.copy()


def floor(input: Tensor) -> Tensor:
    """Return the largest integer not above."""
    return mint.floor(input) if is_float(input) else input.copy()


def trunc(input: Tensor) -> Tensor:
    """Return the integer part."""
    return mint.trunc(input)


fix = trunc


def frac(input: Tensor) -> Tensor:
    """Return the fractional part, with the sign of the input."""
    return input - mint.trunc(input)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return the nearest number with `decimals` digits after the point, half to even."""
    if decimals == 0:
        return mint.round(input)
    if decimals > 0:
        scale = number_like(10.0**decimals, input)
        return mint.round(input * scale) / scale
    scale = number_like(10.0**-decimals, input)
    return mint.round(input / scale) * scale


def isinf(input: Tensor) -> Tensor:
    """Return where the elements are infinite."""
    return mint.isinf(input) if is_float(input) else filled(input.shape, False, mindspore.bool_)


def isneginf(input: Tensor) -> Tensor:
    """Return where the elements are minus infinity."""
    return mint.eq(input, float("-inf")) if is_float(input) else filled(input.shape, False, mindspore.bool_)


def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Return the tensor with nan and the infinities replaced (by 0 and the largest finite numbers)."""
    return mint.nan_to_num(input, nan, posinf, neginf) if is_float(input) else input.copy()


def xlogy(input: Any, other: Any) -> Tensor:
    """Return input * log(other), 0 where input is 0."""
    return mint.xlogy(
        as_float(input) if isinstance(input, Tensor) else input, as_float(other) if isinstance(other, Tensor) else other
    )


def erfinv(input: Tensor) -> Tensor:
    """Return the inverse of the error function."""
    x = as_float(input)
    y = mint.erfinv(x)
    # one Newton step: MindSpore's kernel is off by 3e-3 in the tails
    finite = mint.logical_and(mint.isfinite(y), mint.abs(x) < 1)
    start = ops.stop_gradient(mint.where(finite, y, mint.mul(x, 0)))
    slope = number_like(1.1283791670955126, x) * mint.exp(-start * start)
    return mint.where(finite, start + (x - mint.erf(start)) / slope, y)


def _divisible(input: Any, other: Any) -> tuple[Any, Any]:
    """Return both operands as tensors: the scalar forms have no CPU kernel."""
    if not isinstance(other, Tensor):
        return (input, _operand(other, input))
    if not isinstance(input, Tensor):
        return (_operand(input, other), other)
    return (input, other)


def _operand(number: Any, x: Tensor) -> Tensor:
    integral = isinstance(number, int) or is_float(x)
    return filled((), number, x.dtype if integral else mindspore.float32)


def floor_divide(input: Any, other: Any) -> Tensor:
    """Return the quotient rounded down."""
    a, b = _divisible(input, other)
    return mint.floor_divide(a, b)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return the quotient; `rounding_mode` is None, "floor" or "trunc"."""
    if rounding_mode is None:
        return mint.div(input, other)
    a, b = _divisible(input, other)
    return mint.div(a, b, rounding_mode=rounding_mode)


divide = div


def fmod(input: Tensor, other: Any) -> Tensor:
    """Return the remainder of the division rounded to zero; it has the sign of `input`."""
    return mint.fmod(input, other)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger of both; equal elements share the gradient."""
    return _select(mint.maximum, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of both; equal elements share the gradient."""
    return _select(mint.minimum, input, other)


def _select(kernel: Any, input: Tensor, other: Tensor) -> Tensor:
    if input.size == 0 or other.size == 0:
        return mint.add(input, other)
    return kernel(input, other)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Return the complex numbers of the given absolute values and angles."""
    if abs.shape != angle.shape:
        abs, angle = mint.broadcast_to(abs, mint.add(abs, angle).shape), mint.broadcast_to(angle, mint.add(abs, angle).shape)
    return mint.polar(abs, angle)


def real(input: Tensor) -> Tensor:
    """Return the real part."""
    return mint.real(input)
