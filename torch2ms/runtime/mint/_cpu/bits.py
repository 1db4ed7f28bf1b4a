"""Bits of integers and booleans."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, mint, ops

from .common import filled

__all__ = ["bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor"]


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
