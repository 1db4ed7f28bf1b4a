"""Tensors from shapes and numbers."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, mint, ops

from .common import INTEGERS, filled

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def _size(size: Any) -> tuple[int, ...]:
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)


def zeros(size: Any, *, dtype: Any = None) -> Tensor:
    """Return zeros; `size` is an int or a tuple of ints."""
    return filled(_size(size), 0, mindspore.float32 if dtype is None else dtype)


def ones(size: Any, *, dtype: Any = None) -> Tensor:
    """Return ones; `size` is an int or a tuple of ints."""
    return filled(_size(size), 1, mindspore.float32 if dtype is None else dtype)


def empty(*size: Any, dtype: Any = None, device: Any = None, pin_memory: bool = False) -> Tensor:
    """Return a tensor whose values are not to be relied on (zeros)."""
    shape = size[0] if len(size) == 1 else size
    return filled(_size(shape), 0, mindspore.float32 if dtype is None else dtype)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor filled with a number; its dtype follows the number as in PyTorch."""
    if isinstance(fill_value, Tensor):
        return mint.broadcast_to(fill_value if dtype is None else fill_value.astype(dtype), _size(size)).copy()
    if dtype is None:
        if isinstance(fill_value, bool):
            dtype = mindspore.bool_
        elif isinstance(fill_value, int):
            dtype = mindspore.int64
        elif isinstance(fill_value, complex):
            dtype = mindspore.complex64
        else:
            dtype = mindspore.float32
    return filled(_size(size), fill_value, dtype)


def zeros_like(input: Tensor, *, dtype: Any = None) -> Tensor:
    """Return zeros of the shape (and dtype) of `input`."""
    return filled(input.shape, 0, input.dtype if dtype is None else dtype)


def ones_like(input: Tensor, *, dtype: Any = None) -> Tensor:
    """Return ones of the shape (and dtype) of `input`."""
    return filled(input.shape, 1, input.dtype if dtype is None else dtype)


def empty_like(input: Tensor, *, dtype: Any = None, device: Any = None, pin_memory: bool = False) -> Tensor:
    """Return a tensor of the shape of `input` whose values are not to be relied on (zeros)."""
    return filled(input.shape, 0, input.dtype if dtype is None else dtype)


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """Return a tensor of the shape (and dtype) of `input` filled with a number."""
    return full(input.shape, fill_value, dtype=input.dtype if dtype is None else dtype)


@ops.constexpr(check=False)
def _range(start: Any, end: Any, step: Any, dtype: Any) -> Tensor:
    if dtype is None:
        integral = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
        dtype = mindspore.int64 if integral else mindspore.float32
    elif dtype in INTEGERS:
        start, end, step = int(start), int(end), int(step)
    count = max(0, int(np.ceil((end - start) / step)))
    return Tensor(start + step * np.arange(count), dtype)


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """Return start, start + step ... below `end`: int64 for ints, float32 otherwise."""
    if end is None:
        return _range(0, _number(start), _number(step), dtype)
    return _range(_number(start), _number(end), _number(step), dtype)


@ops.constexpr(check=False)
def _spaced(start: Any, end: Any, steps: int, dtype: Any) -> Tensor:
    if dtype in INTEGERS and steps > 1:
        return Tensor(_whole_steps(int(start), int(end), steps), dtype)
    values = np.linspace(start, end, steps)
    return Tensor(values, mindspore.float32 if dtype is None else dtype)


def _whole_steps(start: int, end: int, steps: int) -> np.ndarray:
    """Return PyTorch's integers: counted from either end up to the middle, and cut, not rounded down."""
    step, place = (end - start) / (steps - 1), np.arange(steps)
    return np.trunc(np.where(place < steps // 2, start + step * place, end - step * (steps - 1 - place)))


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Tensor:
    """Return `steps` numbers from `start` to `end`, both included."""
    return _spaced(_number(start), _number(end), steps, dtype)


@ops.constexpr(check=False)
def _identity(n: int, m: int, dtype: Any) -> Tensor:
    return Tensor(np.eye(n, m), dtype)


def eye(n: int, m: int | None = None, dtype: Any = None) -> Tensor:
    """Return the identity matrix of `n` rows and `m` columns."""
    return _identity(n, n if m is None else m, mindspore.float32 if dtype is None else dtype)
