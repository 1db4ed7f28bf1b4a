"""Element by element functions that mint lacks, and the gamma family as series."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._cpu.common import as_float
from .._trace import named

__all__ = [
    "angle",
    "complex",
    "conj",
    "digamma",
    "entr",
    "fmax",
    "fmin",
    "frexp",
    "i0",
    "lgamma",
    "logit",
    "mvlgamma",
    "ndtr",
    "polygamma",
    "sgn",
    "view_as_complex",
    "view_as_real",
    "xlog1py",
]

# Bernoulli numbers B2, B4, ... of the asymptotic series
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)
_SHIFT = 8


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Return log(x / (1 - x)); `eps` limits x to [eps, 1 - eps]."""
    x = as_float(input)
    x = x if eps is None else mint.clamp(x, eps, 1 - eps)
    return mint.log(x / (1 - x))


def sgn(input: Tensor) -> Tensor:
    """Return the sign of real numbers."""
    if input.is_complex():
        raise NotImplementedError("mint.sgn of complex numbers")
    return mint.sign(input)


def fmax(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger of both, the number where one is nan."""
    first, second = mint.isnan(input), mint.isnan(other)
    return mint.where(first, other, mint.where(second, input, mint.maximum(input, other)))


def fmin(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of both, the number where one is nan."""
    first, second = mint.isnan(input), mint.isnan(other)
    return mint.where(first, other, mint.where(second, input, mint.minimum(input, other)))


def entr(input: Tensor) -> Tensor:
    """Return -x * log(x), 0 at 0 and minus infinity below."""
    x = as_float(input)
    return mint.where(x < 0, mint.full_like(x, -math.inf), -mint.xlogy(x, x))


def ndtr(input: Tensor) -> Tensor:
    """Return the distribution function of the standard normal distribution."""
    return mint.erfc(as_float(input) * -math.sqrt(0.5)) * 0.5


def xlog1py(input: Any, other: Any) -> Tensor:
    """Return input * log1p(other), 0 where input is 0."""
    x = input if isinstance(input, Tensor) else mint.full((), float(input), dtype=other.dtype)
    y = other if isinstance(other, Tensor) else mint.full((), float(other), dtype=x.dtype)
    x, y = as_float(x), as_float(y)
    zero = mint.logical_and(x == 0, mint.logical_not(mint.isnan(y)))
    return mint.where(zero, mint.zeros_like(x * y), x * mint.log1p(mint.where(zero, mint.zeros_like(y), y)))


class Parts(NamedTuple):
    """Numbers as mantissa * 2 ** exponent."""

    mantissa: Any
    exponent: Any


def frexp(input: Tensor) -> Parts:
    """Return mantissas of an absolute value from 1/2 to below 1, and exponents (int32)."""
    if not input.is_floating_point():
        raise NotImplementedError("mint.frexp of integers")
    plain = ops.stop_gradient(input)
    plain = mint.where(mint.logical_and(mint.isfinite(plain), plain != 0), plain, mint.full_like(plain, 0.5))
    exponent = mint.floor(mint.log2(mint.abs(plain))) + 1
    size = mint.abs(_scaled(plain, exponent))
    exponent = exponent + (size >= 1).astype(plain.dtype) - (size < 0.5).astype(plain.dtype)
    return named(Parts, (_scaled(input, exponent), exponent.astype(mindspore.int32)))


def _scaled(x: Tensor, exponent: Tensor) -> Tensor:
    """Return x / 2 ** exponent, in two steps that do not overflow."""
    half = mint.floor(exponent / 2)
    return x * mint.pow(2.0, -half) * mint.pow(2.0, half - exponent)


def i0(input: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0."""
    if not hasattr(ops, "bessel_i0"):
        raise NotImplementedError("mint.i0")
    return ops.bessel_i0(as_float(input))


# -- the gamma family: shifted beyond 8, where the asymptotic series is exact to float32 --------------------------------


def _reflected(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return where x lies below 1/2, and the argument x or 1 - x of the right half."""
    low = x < 0.5
    return low, mint.where(low, 1 - x, x)


def lgamma(input: Tensor) -> Tensor:
    """Return the logarithm of the absolute value of the gamma function."""
    x = as_float(input)
    low, y = _reflected(x)
    product = y
    for k in range(1, _SHIFT):
        product = product * (y + k)
    z = y + _SHIFT
    inverse = 1 / z
    square, power = inverse * inverse, inverse
    series = mint.zeros_like(z)
    for n, number in enumerate(_BERNOULLI, 1):
        series = series + power * (number / (2 * n * (2 * n - 1)))
        power = power * square
    right = (z - 0.5) * mint.log(z) - z + 0.5 * math.log(2 * math.pi) + series - mint.log(product)
    # the sine of the distance to the nearest integer is exact near the poles
    sine = mint.abs(mint.sin((x - mint.round(x)) * math.pi))
    sine = mint.where(low, sine, mint.ones_like(sine))
    return mint.where(low, math.log(math.pi) - mint.log(sine) - right, right)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension `p`."""
    x = as_float(input)
    total = mint.full_like(x, p * (p - 1) / 4 * math.log(math.pi))
    for k in range(p):
        total = total + lgamma(x - k / 2)
    return total


def digamma(input: Tensor) -> Tensor:
    """Return the derivative of lgamma."""
    x = as_float(input)
    low, y = _reflected(x)
    z = y + _SHIFT
    inverse = 1 / z
    square = inverse * inverse
    power, series = square, mint.log(z) - 0.5 * inverse
    for n, number in enumerate(_BERNOULLI, 1):
        series = series - power * (number / (2 * n))
        power = power * square
    for k in range(_SHIFT):
        series = series - 1 / (y + k)
    distance = (x - mint.round(x)) * math.pi
    distance = mint.where(low, distance, mint.ones_like(distance))
    found = mint.where(low, series - math.pi / mint.tan(distance), series)
    pole = mint.logical_and(x == mint.round(x), x < 0)
    return mint.where(pole, mint.full_like(x, float("nan")), mint.where(x == 0, -1 / x, found))


def polygamma(n: int, input: Tensor) -> Tensor:
    """Return the `n`-th derivative of digamma; from the second on for positive arguments only."""
    if n == 0:
        return digamma(input)
    x = as_float(input)
    if n > 1:
        if bool((ops.stop_gradient(x).asnumpy() <= 0).any()):
            raise NotImplementedError(f"mint.polygamma({n}) of negative numbers")
        return _positive_polygamma(n, x)
    low, y = _reflected(x)
    right = _positive_polygamma(1, y)
    sine = mint.where(low, mint.sin((x - mint.round(x)) * math.pi), mint.ones_like(x))
    return mint.where(low, (math.pi * math.pi) / (sine * sine) - right, right)


def _positive_polygamma(n: int, x: Tensor) -> Tensor:
    z = x + _SHIFT
    total = math.factorial(n - 1) * _inverse_power(z, n) + 0.5 * math.factorial(n) * _inverse_power(z, n + 1)
    for k, number in enumerate(_BERNOULLI, 1):
        factor = number * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total = total + factor * _inverse_power(z, 2 * k + n)
    for k in range(_SHIFT):
        total = total + math.factorial(n) * _inverse_power(x + k, n + 1)
    return total if n % 2 else -total


def _inverse_power(x: Tensor, n: int) -> Tensor:
    inverse = 1 / x
    result = inverse
    for _ in range(n - 1):
        result = result * inverse
    return result


# -- complex numbers; MindSpore has no gradients for their products ----------------------------------------------------


def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Return complex numbers of the given parts."""
    if real.shape != imag.shape:
        shape = mint.add(real, imag).shape
        real, imag = mint.broadcast_to(real, shape) * 1, mint.broadcast_to(imag, shape) * 1
    return ops.Complex()(real, imag)


def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate; real numbers as they are."""
    return ops.conj(input) if input.is_complex() else input


def angle(input: Tensor) -> Tensor:
    """Return the angle of complex numbers; 0 or pi for real ones."""
    if input.is_complex():
        return mint.atan2(ops.imag(input), ops.real(input))
    x = as_float(input)
    return mint.where(mint.isnan(x), x, mint.where(x < 0, mint.full_like(x, math.pi), mint.zeros_like(x)))


def view_as_real(input: Tensor) -> Tensor:
    """Return real and imaginary parts as a last dimension of two."""
    return mint.stack((ops.real(input), ops.imag(input)), -1)


def view_as_complex(input: Tensor) -> Tensor:
    """Return the complex numbers whose parts are the last dimension of two."""
    return ops.Complex()(mint.select(input, -1, 0), mint.select(input, -1, 1))
