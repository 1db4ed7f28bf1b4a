"""Bessel functions and their kin as integrals over a period, whose trapezoid sums converge faster than any power."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _device as mint
from .._cpu.common import as_float
from .._trace import twice
from .polynomials import host, on_device, refuse_gradient

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "erfcx",
    "i0e",
    "i1",
    "i1e",
    "log_ndtr",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "ndtri",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
    "zeta",
]

_LIMIT = 1e4


@ops.constexpr(check=False)
def _cosines(dtype: Any) -> Tensor:
    return Tensor(np.cos(2 * np.pi * np.arange(512) / 512), dtype)


def _scaled_i(x: Tensor, order: int) -> Tensor:
    """Return exp(-|x|) * I_order(x), the mean over a period."""
    cosines = _cosines(x.dtype)
    power = mint.exp(x.unsqueeze(-1) * cosines - mint.abs(x).unsqueeze(-1))
    return mint.mean(power * cosines if order else power, -1)


def i0e(input: Tensor) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of order 0."""
    return _scaled_i(as_float(input), 0)


def i1e(input: Tensor) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of order 1."""
    return _scaled_i(as_float(input), 1)


def i1(input: Tensor) -> Tensor:
    """Return the modified Bessel function of order 1."""
    x = as_float(input)
    return _scaled_i(x, 1) * mint.exp(mint.abs(x))


def _means(name: str, input: Tensor, order: int) -> Tensor:
    refuse_gradient(name, input)
    x = host(input)
    if (np.abs(x[np.isfinite(x)]) > _LIMIT).any():
        raise NotImplementedError(f"mint.special.{name} of numbers above {_LIMIT:g}")
    size = int(np.nanmax(np.abs(np.where(np.isfinite(x), x, 0)), initial=0)) * 2 + 128
    angle = 2 * np.pi * np.arange(size) / size
    with np.errstate(invalid="ignore"):
        found = np.cos(order * angle - x[..., None] * np.sin(angle)).mean(-1)
    return on_device(np.where(np.isinf(x), 0.0, found), input)


def bessel_j0(input: Tensor) -> Tensor:
    """Return the Bessel function of the first kind of order 0."""
    return _means("bessel_j0", input, 0)


def bessel_j1(input: Tensor) -> Tensor:
    """Return the Bessel function of the first kind of order 1."""
    return _means("bessel_j1", input, 1)


def modified_bessel_i0(input: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind of order 0."""
    refuse_gradient("modified_bessel_i0", input)
    return on_device(np.i0(host(input)), input)


def modified_bessel_i1(input: Tensor) -> Tensor:
    """Return the modified Bessel function of the first kind of order 1."""
    refuse_gradient("modified_bessel_i1", input)
    return i1(input)


def _second_kind(name: str, input: Tensor, order: int, scaled: bool) -> Tensor:
    """Return K_order(x), the integral of exp(-x cosh t) cosh(order t), times exp(x) where it is scaled."""
    refuse_gradient(name, input)
    x = host(input)
    positive = np.where(x > 0, x, 1.0)
    end = np.arccosh(1 + 750 / positive)[..., None]
    place = np.linspace(0, 1, 513)
    t = end * place
    grown = np.cosh(t)
    weight = np.where((place == 0) | (place == 1), 0.5, 1.0) / 512
    values = np.exp(-positive[..., None] * (grown - 1)) * (grown if order else 1.0)
    found = (values * weight).sum(-1) * end[..., 0] * (1.0 if scaled else np.exp(-positive))
    return on_device(np.where(x > 0, found, np.where(x == 0, np.inf, np.nan)), input)


def modified_bessel_k0(input: Tensor) -> Tensor:
    """Return the modified Bessel function of the second kind of order 0."""
    return _second_kind("modified_bessel_k0", input, 0, False)


def modified_bessel_k1(input: Tensor) -> Tensor:
    """Return the modified Bessel function of the second kind of order 1."""
    return _second_kind("modified_bessel_k1", input, 1, False)


def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """Return exp(x) * K_0(x)."""
    return _second_kind("scaled_modified_bessel_k0", input, 0, True)


def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """Return exp(x) * K_1(x)."""
    return _second_kind("scaled_modified_bessel_k1", input, 1, True)


def spherical_bessel_j0(input: Tensor) -> Tensor:
    """Return sin(x) / x."""
    refuse_gradient("spherical_bessel_j0", input)
    x = host(input)
    return on_device(np.where(np.isinf(x), 0.0, np.sinc(np.where(np.isinf(x), 0.0, x) / np.pi)), input)


def _erfcx(x: float) -> float:
    if x < 25:
        return math.exp(x * x) * math.erfc(x) if x > -26 else math.inf
    square = 1 / (2 * x * x)
    return (1 - square * (1 - 3 * square * (1 - 5 * square))) / (x * math.sqrt(math.pi))


def erfcx(input: Tensor) -> Tensor:
    """Return exp(x ** 2) * erfc(x)."""
    refuse_gradient("erfcx", input)
    return on_device(np.vectorize(_erfcx, otypes=[np.float64])(host(input)), input)


def log_ndtr(input: Tensor) -> Tensor:
    """Return the logarithm of the standard normal distribution function."""
    if twice():
        raise NotImplementedError("mint.special.log_ndtr: its second derivative")
    x = as_float(input)
    points = host(ops.stop_gradient(x))
    tail = (
        np.log(0.5 * np.vectorize(_erfcx, otypes=[np.float64])(-np.minimum(points, 0) / math.sqrt(2))) - points**2 / 2
    )
    body = np.log1p(-0.5 * np.vectorize(math.erfc, otypes=[np.float64])(np.maximum(points, 0) / math.sqrt(2)))
    values = np.where(points < 0, tail, body)
    slope = np.exp(-(points**2) / 2 - values) / math.sqrt(2 * math.pi)
    # the values are of the host, the gradient is their derivative
    return Tensor(values, x.dtype) + (x - ops.stop_gradient(x)) * Tensor(slope, x.dtype)


def _inverse(p: float) -> float:
    if 0 < p < 1:
        return NormalDist().inv_cdf(p)
    return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)


def ndtri(input: Tensor) -> Tensor:
    """Return the inverse of the standard normal distribution function."""
    refuse_gradient("ndtri", input)
    return on_device(np.vectorize(_inverse, otypes=[np.float64])(host(input)), input)


def zeta(input: Any, other: Any) -> Tensor:
    """Return Hurwitz' zeta function of `input` and `other`, by the Euler-Maclaurin formula."""
    refuse_gradient("zeta", input, other)
    x, q = np.broadcast_arrays(host(input), host(other))
    with np.errstate(all="ignore"):
        terms = 12
        total = sum((q + k) ** -x for k in range(terms))
        end = q + terms
        total = total + end ** (1 - x) / (x - 1) + 0.5 * end**-x
        factor = x * end ** (-x - 1)
        for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66), 1):
            total = total + bernoulli / math.factorial(2 * k) * factor
            factor = factor * (x + 2 * k - 1) * (x + 2 * k) / end**2
    pole = (x == 1) | ((q <= 0) & (q == np.floor(q)))
    undefined = (x < 1) | ((q <= 0) & (x != np.floor(x)))
    return on_device(np.where(undefined, np.nan, np.where(pole, np.inf, total)), input, other)
