"""The one source of random numbers of the runtime: a process-wide numpy generator.

Other modules call these functions through the module (`_rng.normal(...)`), so that replacing one here replaces it
everywhere. `generator` is None (the process-wide one), a `numpy.random.Generator`, or an object that holds one in its
attribute `numpy`. Sizes are ints or tuples of ints; `()` gives a 0-d array.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

Size = int | Sequence[int]

_state: np.random.Generator = np.random.default_rng()


def seed(value: int) -> None:
    """Restart the process-wide generator from `value` (any int; negative ones as in PyTorch, modulo 2**64)."""
    global _state
    _state = np.random.default_rng(int(value) % 2**64)


def get_state() -> dict[str, Any]:
    """Return the state of the process-wide generator."""
    return dict(_state.bit_generator.state)


def set_state(state: dict[str, Any]) -> None:
    """Set the state of the process-wide generator to what `get_state` returned."""
    _state.bit_generator.state = state


def entropy() -> int:
    """Return a non-deterministic 64-bit seed."""
    return int.from_bytes(os.urandom(8), "little")


def _numpy(generator: Any) -> np.random.Generator:
    if generator is None:
        return _state
    return generator if isinstance(generator, np.random.Generator) else generator.numpy


def uniform(size: Size, low: float = 0.0, high: float = 1.0, generator: Any = None) -> np.ndarray:
    """Draw float64 from [low, high)."""
    return np.asarray(_numpy(generator).random(size) * (high - low) + low)


def normal(size: Size, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> np.ndarray:
    """Draw float64 from the normal distribution."""
    return np.asarray(_numpy(generator).standard_normal(size) * std + mean)


def integers(low: int, high: int, size: Size, generator: Any = None) -> np.ndarray:
    """Draw int64 from low ... high - 1."""
    return np.asarray(_numpy(generator).integers(low, high, size), dtype=np.int64)


def permutation(n: int, generator: Any = None) -> np.ndarray:
    """Draw a permutation of 0 ... n - 1, int64."""
    return np.asarray(_numpy(generator).permutation(n), dtype=np.int64)


def bernoulli_mask(p: Any, size: Size, generator: Any = None) -> np.ndarray:
    """Draw a boolean array that is True with probability `p` (a number, or an array that broadcasts to `size`)."""
    return np.asarray(_numpy(generator).random(size, dtype=np.float32) < p)


def multinomial(probabilities: np.ndarray, n: int, replacement: bool = False, generator: Any = None) -> np.ndarray:
    """Draw `n` indices from each row of non-negative weights (1-d or 2-d; rows need not sum to one), int64.

    Without replacement the weights are those of successive draws, as in PyTorch.
    """
    rows = np.atleast_2d(np.asarray(probabilities, dtype=np.float64))
    rng = _numpy(generator)
    if replacement:
        edges = np.cumsum(rows, axis=1)
        draws = rng.random((rows.shape[0], n)) * edges[:, -1:]
        drawn = np.stack([np.searchsorted(edge, draw, side="right") for edge, draw in zip(edges, draws)])
    else:
        with np.errstate(divide="ignore"):
            keys = rng.standard_exponential(rows.shape) / rows
        drawn = np.argsort(keys, axis=1, kind="stable")[:, :n]
    drawn = drawn.astype(np.int64)
    return drawn if np.ndim(probabilities) == 2 else drawn[0]
