"""The one source of random numbers of the runtime: a process-wide stream, equal to that of PyTorch on the CPU.

Other modules call these functions through the module (`_rng.normal(...)`), so that replacing one here replaces it
everywhere. `generator` is None (the process-wide one), a `Stream`, or an object that holds one in its attribute
`stream`. Sizes are ints or tuples of ints; `()` gives a 0-d array. `dtype` is that of the tensor to fill: float64
takes twice as many random bits as the narrower types.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._stream import Stream

Size = int | Sequence[int]


def entropy() -> int:
    """Return a non-deterministic 63-bit seed."""
    return int.from_bytes(os.urandom(8), "little") >> 1


_state: Stream = Stream(entropy())


def seed(value: int) -> None:
    """Restart the process-wide stream from `value` (any int; negative ones as in PyTorch, modulo 2**64)."""
    _state.seed(int(value))


def initial_seed() -> int:
    """Return the seed that the process-wide stream started from."""
    return _state.initial_seed


def get_state() -> np.ndarray:
    """Return the state of the process-wide stream, 5056 bytes, the format of PyTorch's CPU generator."""
    return _state.get_state()


def set_state(state: np.ndarray) -> None:
    """Set the state of the process-wide stream to what `get_state` returned."""
    _state.set_state(state)


def stream(generator: Any = None) -> Stream:
    """Return the stream behind a `generator` argument."""
    if generator is None:
        return _state
    return generator if isinstance(generator, Stream) else generator.stream


def uniform(
    size: Size, low: float = 0.0, high: float = 1.0, generator: Any = None, dtype: Any = np.float32
) -> np.ndarray:
    """Draw from [low, high)."""
    return np.asarray(stream(generator).random(size, dtype) * (high - low) + low)


def normal(
    size: Size, mean: float = 0.0, std: float = 1.0, generator: Any = None, dtype: Any = np.float32
) -> np.ndarray:
    """Draw from the normal distribution."""
    return np.asarray(stream(generator).standard_normal(size, dtype) * std + mean)


def exponential(size: Size, rate: float = 1.0, generator: Any = None) -> np.ndarray:
    """Draw float64 from the exponential distribution."""
    return np.asarray(stream(generator).standard_exponential(size) / rate)


def integers(low: int, high: int, size: Size, generator: Any = None) -> np.ndarray:
    """Draw int64 from low ... high - 1."""
    return np.asarray(stream(generator).integers(low, high, size), dtype=np.int64)


def permutation(n: int, generator: Any = None) -> np.ndarray:
    """Draw a permutation of 0 ... n - 1, int64."""
    return stream(generator).permutation(n)


def bernoulli_mask(p: Any, size: Size, generator: Any = None) -> np.ndarray:
    """Draw a boolean array that is True with probability `p` (a number, or an array that broadcasts to `size`)."""
    # PyTorch draws 53 bits against a number, and in the type of an array of probabilities
    dtype = p.dtype if isinstance(p, np.ndarray) and p.ndim and p.dtype != np.float16 else np.float64
    return np.asarray(stream(generator).random(size, dtype) < p)


def multinomial(probabilities: np.ndarray, n: int, replacement: bool = False, generator: Any = None) -> np.ndarray:
    """Draw `n` indices from each row of non-negative weights (1-d or 2-d; rows need not sum to one), int64.

    Without replacement the weights are those of successive draws, as in PyTorch.
    """
    rows = np.atleast_2d(np.asarray(probabilities, dtype=np.float64))
    source = stream(generator)
    if replacement and n > 1:
        edges = np.cumsum(rows, axis=1)
        draws = source.random((rows.shape[0], n), np.float64) * edges[:, -1:]
        drawn = np.stack([np.searchsorted(edge, draw, side="right") for edge, draw in zip(edges, draws)])
    else:
        with np.errstate(divide="ignore"):
            keys = source.standard_exponential(rows.shape) / rows
        drawn = np.argsort(keys, axis=1, kind="stable")[:, :n]
    drawn = drawn.astype(np.int64)
    return drawn if np.ndim(probabilities) == 2 else drawn[0]
