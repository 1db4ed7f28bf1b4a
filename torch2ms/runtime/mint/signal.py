"""Windows as `torch.signal.windows` has them: symmetric unless asked otherwise.

https://docs.pytorch.org/docs/stable/signal.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(values: Callable[[np.ndarray, int], Any], M: int, sym: bool, dtype: Any) -> Tensor:
    """Return `values(n, length)` of the first M positions; a periodic window is the head of one longer by one."""
    if M < 0:
        raise ValueError(f"requires non-negative window length, got M={M}")
    length = M if sym or M <= 1 else M + 1
    found = values(np.arange(M, dtype=np.float64), length) if M > 1 else np.ones(M)
    return Tensor(np.asarray(found, np.float64), mindspore.float32 if dtype is None else dtype)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None
) -> Tensor:
    """Return exp(-|n - center| / tau)."""
    if tau <= 0 or (sym and center is not None):
        raise ValueError("tau must be positive, and center stays None in a symmetric window")
    return _window(
        lambda n, length: np.exp(-np.abs(n - ((length - 1) / 2 if center is None else center)) / tau), M, sym, dtype
    )


def cosine(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return half a period of the sine."""
    return _window(lambda n, length: np.sin(np.pi / length * (n + 0.5)), M, sym, dtype)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return exp(-((n - center) / std) ** 2 / 2)."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std}")
    return _window(lambda n, length: np.exp(-0.5 * ((n - (length - 1) / 2) / std) ** 2), M, sym, dtype)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the Kaiser window."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta}")

    def values(n: np.ndarray, length: int) -> Any:
        half = (length - 1) / 2
        return np.i0(beta * np.sqrt(np.maximum(0, 1 - ((n - half) / half) ** 2))) / np.i0(beta)

    return _window(values, M, sym, dtype)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the sum of cosines with coefficients `a` of alternating sign."""
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")

    def values(n: np.ndarray, length: int) -> Any:
        angle = 2 * np.pi * n / (length - 1)
        return sum((-1) ** k * weight * np.cos(k * angle) for k, weight in enumerate(weights))

    return _window(values, M, sym, dtype)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return alpha - (1 - alpha) * cos."""
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, dtype=dtype)


def hamming(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the Hamming window."""
    return general_hamming(M, sym=sym, dtype=dtype)


def hann(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the Hann window."""
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype)


def blackman(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the Blackman window."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype)


def nuttall(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return Nuttall's minimum four-term window."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype)


def bartlett(M: int, *, sym: bool = True, dtype: Any = None) -> Tensor:
    """Return the triangular window."""
    return _window(lambda n, length: 1 - np.abs(2 * n / (length - 1) - 1), M, sym, dtype)
