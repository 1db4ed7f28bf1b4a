"""Checks of options, with PyTorch's messages."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor


def learning_rate(lr: Any) -> None:
    """Raise ValueError unless the learning rate is one non-negative number."""
    if isinstance(lr, Tensor) and lr.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    non_negative("learning rate", lr)


def non_negative(what: str, value: Any) -> None:
    """Raise ValueError for a negative number."""
    if not 0.0 <= float(value):
        raise ValueError(f"Invalid {what}: {value}")


def betas(values: Any) -> tuple[float, float]:
    """Return the betas as floats; raise ValueError unless both are in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= float(values[i]) < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {values[i]}")
    return float(values[0]), float(values[1])
