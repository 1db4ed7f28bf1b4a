"""Windows of signal processing."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def _window(values: Any, length: int, periodic: bool, dtype: Any) -> Tensor:
    """Return `values` of positions 0 ... 1; a periodic window is the head of a symmetric one that is longer by one."""
    if length == 0:
        return Tensor(np.zeros(0, np.float32), mindspore.float32 if dtype is None else dtype)
    total = length + 1 if periodic else length
    position = np.arange(total) / max(1, total - 1)
    found = values(position) if total > 1 else np.ones(1)
    return Tensor(found[:length], mindspore.float32 if dtype is None else dtype)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the triangular window."""
    return _window(lambda t: 1 - np.abs(2 * t - 1), window_length, periodic, dtype)


def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the Hann window."""
    return _window(lambda t: 0.5 - 0.5 * np.cos(2 * np.pi * t), window_length, periodic, dtype)


def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None
) -> Tensor:
    """Return the Hamming window."""
    return _window(lambda t: alpha - beta * np.cos(2 * np.pi * t), window_length, periodic, dtype)


def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Tensor:
    """Return the Blackman window."""
    return _window(
        lambda t: np.maximum(0.42 - 0.5 * np.cos(2 * np.pi * t) + 0.08 * np.cos(4 * np.pi * t), 0),
        window_length,
        periodic,
        dtype,
    )


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None) -> Tensor:
    """Return the Kaiser window."""
    return _window(
        lambda t: np.i0(beta * np.sqrt(np.maximum(1 - (2 * t - 1) ** 2, 0))) / np.i0(beta),
        window_length,
        periodic,
        dtype,
    )
