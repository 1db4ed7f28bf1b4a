"""Rounding, and what floats have beside numbers."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint

from .common import filled, is_float, number_like

__all__ = ["ceil", "fix", "floor", "frac", "isinf", "isneginf", "nan_to_num", "round", "trunc"]


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


def round_to_integer(input: Tensor) -> Tensor:
    """Return the nearest integer, half to even."""
    return mint.round(input)


def isinf(input: Tensor) -> Tensor:
    """Return where the elements are infinite."""
    return mint.isinf(input) if is_float(input) else filled(input.shape, False, mindspore.bool_)


def isneginf(input: Tensor) -> Tensor:
    """Return where the elements are minus infinity."""
    return mint.eq(input, float("-inf")) if is_float(input) else filled(input.shape, False, mindspore.bool_)


def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Return the tensor with nan and the infinities replaced (by 0 and the largest finite numbers)."""
    return mint.nan_to_num(input, nan, posinf, neginf) if is_float(input) else input.copy()
