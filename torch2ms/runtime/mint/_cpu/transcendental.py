"""Functions of one tensor, element by element, whose integer inputs PyTorch promotes to float32."""

from __future__ import annotations

from mindspore import Tensor, mint, ops

from .common import as_float, exactly

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def acos(input: Tensor) -> Tensor:
    """Return the inverse cosine, element by element."""
    return ops.acos(as_float(input))


def acosh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic cosine, element by element."""
    return ops.acosh(as_float(input))


def asin(input: Tensor) -> Tensor:
    """Return the inverse sine, element by element."""
    return ops.asin(as_float(input))


def asinh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic sine, element by element."""
    return ops.asinh(as_float(input))


def atan(input: Tensor) -> Tensor:
    """Return the inverse tangent, element by element."""
    return ops.atan(as_float(input))


def atanh(input: Tensor) -> Tensor:
    """Return the inverse hyperbolic tangent, element by element."""
    return mint.atanh(as_float(input))


def cos(input: Tensor) -> Tensor:
    """Return the cosine, element by element."""
    return mint.cos(as_float(input))


def cosh(input: Tensor) -> Tensor:
    """Return the hyperbolic cosine, element by element."""
    return mint.cosh(as_float(input))


def sin(input: Tensor) -> Tensor:
    """Return the sine, element by element."""
    return mint.sin(as_float(input))


def sinh(input: Tensor) -> Tensor:
    """Return the hyperbolic sine, element by element."""
    return mint.sinh(as_float(input))


def tan(input: Tensor) -> Tensor:
    """Return the tangent, element by element."""
    return mint.tan(as_float(input))


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent, element by element."""
    # of float32, MindSpore's kernel is a rational approximation that exceeds 1 by 1e-5 and loses the gradient beyond 4
    return exactly(mint.tanh, as_float(input))


def erf(input: Tensor) -> Tensor:
    """Return the error function, element by element."""
    return mint.erf(as_float(input))


def erfc(input: Tensor) -> Tensor:
    """Return the complementary error function, element by element."""
    return mint.erfc(as_float(input))


def exp(input: Tensor) -> Tensor:
    """Return the exponential, element by element."""
    return exactly(mint.exp, as_float(input))


def exp2(input: Tensor) -> Tensor:
    """Return the power of two, element by element."""
    return ops.exp2(as_float(input))


def expm1(input: Tensor) -> Tensor:
    """Return the exponential minus one, element by element."""
    return exactly(mint.expm1, as_float(input))


def log(input: Tensor) -> Tensor:
    """Return the natural logarithm, element by element."""
    return exactly(mint.log, as_float(input))


def log10(input: Tensor) -> Tensor:
    """Return the decimal logarithm, element by element."""
    return exactly(ops.log10, as_float(input))


def log1p(input: Tensor) -> Tensor:
    """Return the logarithm of one plus the input, element by element."""
    return exactly(mint.log1p, as_float(input))


def log2(input: Tensor) -> Tensor:
    """Return the binary logarithm, element by element."""
    return exactly(ops.log2, as_float(input))


def rsqrt(input: Tensor) -> Tensor:
    """Return the reciprocal square root, element by element."""
    return mint.rsqrt(as_float(input))


def sigmoid(input: Tensor) -> Tensor:
    """Return the logistic function, element by element."""
    return mint.sigmoid(as_float(input))


def sqrt(input: Tensor) -> Tensor:
    """Return the square root, element by element."""
    return mint.sqrt(as_float(input))


def reciprocal(input: Tensor) -> Tensor:
    """Return the reciprocal, element by element."""
    return mint.reciprocal(as_float(input))


arccos = acos
arccosh = acosh
arcsinh = asinh
arctan = atan
arctanh = atanh


def arcsin(x: Tensor) -> Tensor:
    """Return the inverse sine; mint names its parameter so."""
    return asin(x)
