"""What the transforms share: the call, and the draws from the runtime's random stream in PyTorch's order."""

from __future__ import annotations

import numbers
from typing import Any

from ... import _rng


class Transform:
    """A function of an image that holds its settings."""

    def forward(self, img: Any) -> Any:
        """Return the transformed image."""
        raise NotImplementedError("a transform defines forward")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in vars(self).items() if not name.startswith("_"))
        return f"{type(self).__name__}({settings})"


def chance() -> float:
    """Draw from [0, 1)."""
    return float(_rng.uniform(1)[0])


def uniform(low: float, high: float) -> float:
    """Draw from [low, high)."""
    return float(_rng.uniform(1, low, high)[0])


def integer(low: int, high: int) -> int:
    """Draw from low ... high - 1."""
    return int(_rng.integers(low, high, 1)[0])


def pair(value: Any, what: str = "size") -> tuple[int, int]:
    """Return (height, width) for a number or a sequence of one or two."""
    values: list[Any] = [value] if isinstance(value, numbers.Real) else list(value)
    if len(values) not in (1, 2):
        raise ValueError(f"{what} should have 1 or 2 values, got {value}")
    height, width = values * (2 // len(values))
    return int(height), int(width)


def bounds(value: Any, what: str) -> tuple[float, float]:
    """Return (-value, value) for a number, or the two values of a sequence."""
    if isinstance(value, numbers.Real):
        if value < 0:
            raise ValueError(f"If {what} is a single number, it must be positive.")
        return -float(value), float(value)
    if len(value) != 2:
        raise ValueError(f"{what} should be a sequence of length 2.")
    return float(value[0]), float(value[1])
