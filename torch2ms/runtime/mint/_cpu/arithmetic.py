"""Arithmetic, rounding and bits, element by element."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .._trace import compiling, twice
from .common import COMPLEX, INTEGERS, as_float, exactly, filled, has_nan, is_float, number_like

__all__ = [
    "abs",
    "addcdiv",
    "addcmul",
    "arctan2",
    "atan2",
    "clamp",
    "clip",
    "clone",
    "div",
    "divide",
    "equal",
    "erfinv",
    "floor_divide",
    "fmod",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "polar",
    "pow",
    "real",
    "sign",
    "sinc",
    "square",
    "xlogy",
]


def abs(input: Tensor) -> Tensor:
    """Return the absolute values; of complex numbers they are real."""
    return ops.ComplexAbs()(input) if input.dtype in COMPLEX else mint.abs(input)


def clone(input: Tensor) -> Tensor:
    """Return a copy; the gradient flows through it."""
    # a product with 1 is thirty times faster than Tensor.copy
    return input * 1 if is_float(input) else input.copy()


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
    y, x = as_float(input), as_float(other)
    if not twice():
        return ops.atan2(y, x)
    # the angle from a fixed point nearby, whose derivatives of all orders are right
    fixed_y, fixed_x = ops.stop_gradient(y), ops.stop_gradient(x)
    turn = ops.atan((y * fixed_x - x * fixed_y) / (x * fixed_x + y * fixed_y))
    return ops.atan2(fixed_y, fixed_x) + turn


arctan2 = atan2


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Return log(exp(input) + exp(other))."""
    larger = mint.where(input > other, input, other)
    smaller = mint.where(input > other, other, input)
    # equal infinities have the difference nan
    gap = mint.where(larger == smaller, filled((), 0, larger.dtype), smaller - larger)
    return larger + exactly(lambda x: mint.log1p(mint.exp(x)), gap)


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Return log2(2 ** input + 2 ** other)."""
    ln2 = number_like(0.6931471805599453, input)
    return logaddexp(input * ln2, other * ln2) / ln2


def xlogy(input: Any, other: Any) -> Tensor:
    """Return input * log(other), 0 where input is 0 and other is no nan."""
    x = as_float(input) if isinstance(input, Tensor) else filled((), input, as_float(other).dtype)
    y = as_float(other) if isinstance(other, Tensor) else filled((), other, x.dtype)
    # the kernel gives nan for xlogy(0, 0)
    nothing = mint.logical_and(x == 0, mint.logical_or(y <= 0, mint.isinf(y)))
    return x * exactly(mint.log, mint.where(nothing, filled((), 1, y.dtype), y))


def erfinv(input: Tensor) -> Tensor:
    """Return the inverse of the error function."""
    x = as_float(input)
    inside = mint.abs(x) < 1
    z = mint.where(inside, x, filled((), 0, x.dtype)).astype(mindspore.float64)
    # Winitzki's approximation, then Halley steps; MindSpore's kernel is wrong beyond 2
    log = mint.log((1 - z) * (1 + z))
    middle = log / 2 + 4.330746750799873
    y = mint.sign(z) * mint.sqrt(mint.sqrt(middle * middle - log / 0.147) - middle + 1e-30)
    for _ in range(3):
        excess = (mint.erf(y) - z) * mint.exp(y * y) * filled((), 0.886226925452758, mindspore.float64)
        y = y - excess / (1 + excess * y)
    edge = mint.where(mint.abs(x) == 1, mint.sign(x) * float("inf"), filled((), float("nan"), x.dtype))
    return mint.where(inside, y.astype(x.dtype), edge)


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
    if compiling() and isinstance(other, Tensor):
        return input - mint.trunc(input / other) * other
    return mint.fmod(input, other)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger of both; equal elements share the gradient, nan stays nan."""
    return _select(mint.maximum, input, other)


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of both; equal elements share the gradient, nan stays nan."""
    return _select(mint.minimum, input, other)


def _select(kernel: Any, input: Tensor, other: Tensor) -> Tensor:
    if input.size == 0 or other.size == 0:
        return mint.add(input, other)
    if input.dtype == mindspore.bool_ and other.dtype == mindspore.bool_:
        return mint.logical_or(input, other) if kernel is mint.maximum else mint.logical_and(input, other)
    selected = kernel(input, other)
    if compiling() or not is_float(selected) or not (has_nan(input) or has_nan(other)):
        return selected
    return mint.where(mint.logical_or(input != input, other != other), input + other, selected)


def sign(input: Tensor) -> Tensor:
    """Return -1, 0 or 1."""
    return input if input.dtype == mindspore.bool_ else mint.sign(input)


def sinc(input: Tensor) -> Tensor:
    """Return sin(pi * input) / (pi * input)."""
    return mint.sinc(as_float(input))


def square(input: Tensor) -> Tensor:
    """Return the square."""
    return input.astype(mindspore.int64) if input.dtype == mindspore.bool_ else mint.square(input)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Return the complex numbers of the given absolute values and angles."""
    if abs.shape != angle.shape:
        abs, angle = (
            mint.broadcast_to(abs, mint.add(abs, angle).shape),
            mint.broadcast_to(angle, mint.add(abs, angle).shape),
        )
    return mint.polar(abs, angle)


def pow(input: Any, exponent: Any) -> Tensor:
    """Return input to the power of exponent."""
    if isinstance(exponent, float) and twice():
        # the kernel of a Python exponent has no second derivative
        exponent = filled((), exponent, input.dtype if is_float(input) else mindspore.float32)
    if isinstance(input, Tensor) and isinstance(exponent, Tensor):
        if input.dtype in INTEGERS and exponent.dtype in INTEGERS:
            return _whole_power(input, exponent)
    return mint.pow(input, exponent)


def _whole_power(input: Tensor, exponent: Tensor) -> Tensor:
    """Return integers to the power of integers: 1 / n is 0 but for 1 and -1, where the kernel gives the smallest int."""
    negative = exponent < 0
    power = mint.pow(input, exponent * (exponent > 0).astype(exponent.dtype))
    sign = 1 - 2 * mint.remainder(exponent, 2)
    reciprocal = (input == 1).astype(power.dtype) + (input == -1).astype(power.dtype) * sign
    return mint.where(negative, reciprocal.astype(power.dtype), power)


def real(input: Tensor) -> Tensor:
    """Return the real part."""
    return mint.real(input) if input.is_complex() else input


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether both tensors have the same shape and the same elements."""
    if input.shape != other.shape:
        return False
    return bool((input == other).asnumpy().all())


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Limit the elements to [min, max], numbers or tensors; nan stays nan."""
    if compiling() or not is_float(input) or not has_nan(input):
        return mint.clamp(input, min, max)
    low = input if min is None else mint.where(input < min, min, input)
    return low if max is None else mint.where(low > max, max, low)


clip = clamp
