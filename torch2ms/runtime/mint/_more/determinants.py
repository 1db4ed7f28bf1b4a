"""Determinants."""

from __future__ import annotations

from typing import Any, NamedTuple

from mindspore import Tensor, ops

from .. import _device as mint
from .._trace import named, twice
from ._matrices import wide

__all__ = ["det", "logdet", "slogdet"]


class SignLogDet(NamedTuple):
    """Sign and logarithm of the absolute value of a determinant."""

    sign: Any
    logabsdet: Any


def det(input: Tensor) -> Tensor:
    """Return the determinants of square matrices."""
    n = input.shape[-1]
    if n == 0:
        return mint.ones(input.shape[:-2], dtype=input.dtype)
    if n == 1:
        return input.reshape(input.shape[:-2])
    _refuse_second("det")
    return ops.det(wide(input)).astype(input.dtype)


def _refuse_second(name: str) -> None:
    if twice():
        raise NotImplementedError(f"mint.{name}: the second derivative of MindSpore's kernel is wrong")


def slogdet(input: Tensor) -> SignLogDet:
    """Return sign and logarithm of the absolute value of the determinants."""
    n = input.shape[-1]
    if n == 0:
        return named(
            SignLogDet,
            (mint.ones(input.shape[:-2], dtype=input.dtype), mint.zeros(input.shape[:-2], dtype=input.dtype)),
        )
    if n == 1:
        number = input.reshape(input.shape[:-2])
        return named(SignLogDet, (mint.sign(number), mint.log(mint.abs(number))))
    _refuse_second("slogdet")
    sign, logarithm = ops.slogdet(wide(input))
    return named(SignLogDet, (sign.astype(input.dtype), logarithm.astype(input.dtype)))


def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinants, nan where they are negative."""
    sign, logarithm = slogdet(input)
    return mint.where(sign < 0, mint.full_like(logarithm, float("nan")), logarithm)
