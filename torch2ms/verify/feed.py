"""One seeded stream of random numbers that both frameworks are fed from.

Draws are numbered per kind and element count, so that one extra draw on one side does not shift all later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

_KINDS = ("uniform", "normal", "integers", "permutation", "bernoulli", "choice", "exponential")

Size = int | Sequence[int]


class Feed:
    """Random numbers as float64 or int64 arrays; the k-th draw of a kind and count is the same on both sides."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._drawn: Counter[tuple[str, int]] = Counter()

    def _generator(self, kind: str, count: int) -> np.random.Generator:
        ordinal = self._drawn[kind, count]
        self._drawn[kind, count] += 1
        return np.random.Generator(np.random.PCG64([self.seed, _KINDS.index(kind), count, ordinal]))

    def uniform(self, size: Size, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """Uniform in [low, high)."""
        u = self._generator("uniform", _count(size)).random(_shape(size))
        return low + u * (high - low)

    def normal(self, size: Size, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
        """Normal with the given mean and standard deviation."""
        return mean + std * self._generator("normal", _count(size)).standard_normal(_shape(size))

    def integers(self, low: int, high: int, size: Size) -> np.ndarray:
        """Integers in [low, high)."""
        u = self._generator("integers", _count(size)).random(_shape(size))
        return low + np.floor(u * (high - low)).astype(np.int64)

    def permutation(self, count: int) -> np.ndarray:
        """A permutation of range(count)."""
        return self._generator("permutation", count).permutation(count).astype(np.int64)

    def bernoulli(self, size: Size, chance: float | np.ndarray) -> np.ndarray:
        """True with probability `chance`, a number or an array that broadcasts to `size`; also dropout's masks."""
        return self._generator("bernoulli", _count(size)).random(_shape(size)) < chance

    def exponential(self, size: Size, rate: float = 1.0) -> np.ndarray:
        """Exponential with the given rate."""
        return self._generator("exponential", _count(size)).exponential(1.0 / rate, _shape(size))

    def multinomial(self, weights: np.ndarray, draws: int, replacement: bool) -> np.ndarray:
        """Indices drawn from the last axis in proportion to `weights`; by inverse cdf or by Gumbel keys."""
        rows = np.asarray(weights, np.float64).reshape(-1, np.shape(weights)[-1])
        if replacement:
            u = self._generator("choice", len(rows) * draws).random((len(rows), draws))
            cdf = np.cumsum(rows, 1) / rows.sum(1, keepdims=True)
            picked = np.stack([np.searchsorted(c, v, side="right") for c, v in zip(cdf, u, strict=True)])
            picked = np.minimum(picked, rows.shape[1] - 1)
        else:
            u = self._generator("choice", rows.size).random(rows.shape)
            with np.errstate(divide="ignore"):
                keys = np.log(rows) - np.log(-np.log(np.clip(u, 1e-12, 1 - 1e-12)))
            picked = np.argsort(-keys, axis=1, kind="stable")[:, :draws]
        return picked.reshape(*np.shape(weights)[:-1], draws).astype(np.int64)


def _shape(size: Any) -> tuple[int, ...]:
    return (int(size),) if isinstance(size, (int, np.integer)) else tuple(int(n) for n in size)


def _count(size: Any) -> int:
    return int(np.prod(_shape(size), dtype=np.int64))
