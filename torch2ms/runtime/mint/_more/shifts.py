"""Shifts of the bits of integers, with PyTorch's promotion."""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, ops

from .._cpu.common import filled

__all__ = ["bitwise_left_shift", "bitwise_right_shift"]


def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """Return `input << other`; one of them may be a number."""
    return ops.bitwise_left_shift(*_alike(input, other))


def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """Return `input >> other`, which keeps the sign; one of them may be a number."""
    return ops.bitwise_right_shift(*_alike(input, other))


def _alike(input: Any, other: Any) -> tuple[Tensor, Tensor]:
    dtype = _dtype(input, other)
    return _of(input, dtype), _of(other, dtype)


def _dtype(input: Any, other: Any) -> Any:
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        return input.dtype if input.dtype == other.dtype else (input + other).dtype
    dtype = input.dtype if isinstance(input, Tensor) else other.dtype
    return mindspore.int64 if dtype == mindspore.bool_ else dtype


def _of(value: Any, dtype: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value if value.dtype == dtype else value.astype(dtype)
    return filled((), value, dtype)
