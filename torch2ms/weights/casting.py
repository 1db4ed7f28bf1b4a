"""Floating point types into one another, rounded as PyTorch rounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.stored import StoredTensor, read

FLOATS = ("float32", "float64", "float16", "bfloat16")


def read_as(name: str, tensor: StoredTensor, dtype: str) -> Iterator[Any]:
    """Give the numbers of a tensor in order and in another type; raises UsageProblem if one gets lost."""
    if dtype == tensor.dtype:
        yield from read(tensor)
        return
    for piece in read(tensor):
        with np.errstate(over="ignore"):  # counted below
            cast = _cast(name, piece, tensor.dtype, dtype)
        yield cast.data.cast("B")


def _cast(name: str, piece: memoryview, old: str, new: str) -> np.ndarray:
    numbers = _widened(np.frombuffer(piece, np.uint16)) if old == "bfloat16" else np.frombuffer(piece, old)
    if new in ("float64", "float32"):
        found = numbers.astype(new)
    else:
        # PyTorch goes through float32, also from float64
        single = numbers.astype(np.float32)
        found = _bfloat16(single) if new == "bfloat16" else single.astype(np.float16)
    values = _widened(found) if new == "bfloat16" else found
    lost = int(np.count_nonzero(np.isinf(values) & np.isfinite(numbers)))
    if lost:
        raise UsageProblem(f"{name}: {lost} numbers are too large for {new} and would become infinite", "use bfloat16")
    return found


def _widened(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _bfloat16(single: np.ndarray) -> np.ndarray:
    """Return the upper half of the bits, rounded to the nearest and to even."""
    bits = single.view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(single), np.uint16(0x7FC0), rounded)
