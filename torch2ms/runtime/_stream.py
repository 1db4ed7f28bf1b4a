"""The random number stream: the Mersenne Twister and the transformations that PyTorch uses on the CPU.

A seed therefore gives the numbers that it gave in PyTorch (normal and exponential ones up to rounding), which keeps
splits, shuffles and initial weights of a migrated project. The methods are named as those of `numpy.random.Generator`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

Size = int | Sequence[int]

_BLOCK = 624
_SEED_MASK = 2**64 - 1
# seed, left, seeded, next, 624 words, three unused doubles, flag of the spare double, spare float and its flag
_POD = struct.Struct("<QiiQ624Q3diifi")
STATE_BYTES = 5056
# ranges from here on take 64 random bits
_WIDE = 2**28


class Stream:
    """A stream of random numbers that starts from a seed."""

    def __init__(self, seed: int) -> None:
        self.seed(seed)

    def seed(self, value: int) -> None:
        """Restart from `value`; negative seeds count from 2**64, as in PyTorch."""
        if not -(2**63) <= value <= _SEED_MASK:
            raise RuntimeError(f"a seed must lie between -2**63 and 2**64 - 1, got {value}")
        self.initial_seed = value & _SEED_MASK
        self._twister = np.random.RandomState(self.initial_seed & 0xFFFFFFFF)
        self._spare: float | None = None

    def bits(self, n: int) -> np.ndarray:
        """Draw n words of 32 bits, uint32."""
        return self._twister.randint(0, 2**32, size=n, dtype=np.uint32)

    def bits64(self, n: int) -> np.ndarray:
        """Draw n words of 64 bits, uint64."""
        words = self.bits(2 * n).astype(np.uint64)
        return (words[0::2] << np.uint64(32)) | words[1::2]

    def random(self, size: Size = (), dtype: Any = np.float32) -> np.ndarray:
        """Draw from [0, 1) with the resolution of `dtype` (24 bits, 53 for float64)."""
        n = _count(size)
        if np.dtype(dtype) == np.float64:
            drawn = (self.bits64(n) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53
        else:
            drawn = (self.bits(n) & np.uint32(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)
        return drawn.reshape(size)

    def standard_normal(self, size: Size = (), dtype: Any = np.float32) -> np.ndarray:
        """Draw from the normal distribution: pairs below 16 elements, blocks of 16 from there on."""
        n = _count(size)
        if n < 16:
            return np.array([self._one_normal() for _ in range(n)], dtype).reshape(size)
        uniform = self.random(n, dtype)
        whole = n - n % 16
        drawn = np.empty_like(uniform)
        drawn[:whole] = _box_muller(uniform[:whole])
        if n % 16:
            drawn[-16:] = _box_muller(self.random(16, dtype))
        return drawn.reshape(size)

    def _one_normal(self) -> float:
        if self._spare is not None:
            spare, self._spare = self._spare, None
            return spare
        angle, magnitude = self.random(2, np.float64)
        radius = math.sqrt(-2.0 * math.log1p(-magnitude))
        self._spare = radius * math.sin(2.0 * math.pi * angle)
        return float(radius * math.cos(2.0 * math.pi * angle))

    def standard_exponential(self, size: Size = ()) -> np.ndarray:
        """Draw from the exponential distribution of rate 1, float64."""
        return -np.log1p(-self.random(size, np.float64))

    def integers(self, low: int, high: int, size: Size = ()) -> np.ndarray:
        """Draw int64 from low ... high - 1."""
        span = int(high) - int(low)
        if span <= 0:
            raise RuntimeError(f"random integers need low < high, got {low} and {high}")
        n = _count(size)
        words = self.bits64(n) if span >= _WIDE else self.bits(n).astype(np.uint64)
        offsets = words if span >= 2**64 else words % np.uint64(span)
        return (offsets.astype(np.int64) + np.int64(low)).reshape(size)

    def permutation(self, n: int) -> np.ndarray:
        """Draw a permutation of 0 ... n - 1, int64."""
        order = list(range(n))
        if n > 1:
            steps = self.bits(n - 1) % np.arange(n, 1, -1, dtype=np.uint32)
            for i, step in enumerate(steps.tolist()):
                order[i], order[i + step] = order[i + step], order[i]
        return np.array(order, dtype=np.int64)

    def get_state(self) -> np.ndarray:
        """Return the state as the 5056 bytes that PyTorch's CPU generator saves, uint8."""
        words: Any = self._twister.get_state(legacy=True)
        key, position = words[1], int(words[2])
        # PyTorch calls a block that is not generated yet "one left, next 0"
        fresh = position == _BLOCK
        left, following = (1, 0) if fresh else (_BLOCK - position + 1, position)
        spare = self._spare if self._spare is not None else 0.0
        flag = 0 if self._spare is None else 1
        packed = _POD.pack(self.initial_seed, left, 1, following, *map(int, key), 0.0, spare, 0.0, flag, 0, 0.0, 0)
        return np.frombuffer(packed.ljust(STATE_BYTES, b"\0"), np.uint8).copy()

    def set_state(self, state: Any) -> None:
        """Continue from a state that `get_state` or PyTorch's CPU generator returned."""
        raw = np.ascontiguousarray(state, np.uint8).tobytes()
        if len(raw) != STATE_BYTES:
            raise RuntimeError(f"the state of a random generator has {STATE_BYTES} bytes, got {len(raw)}")
        seed, left, _, following, *rest = _POD.unpack(raw[: _POD.size])
        key, spare, flag = np.array(rest[:_BLOCK], np.uint64).astype(np.uint32), rest[_BLOCK + 1], rest[_BLOCK + 3]
        if following > _BLOCK or not 0 < left <= _BLOCK:
            raise RuntimeError("the state of a random generator is damaged")
        self.initial_seed = seed
        self._twister.set_state(("MT19937", key, _BLOCK if left == 1 else following, 0, 0.0))
        self._spare = spare if flag else None


def _count(size: Size) -> int:
    return size if isinstance(size, int) else math.prod(size)


def _box_muller(uniform: np.ndarray) -> np.ndarray:
    blocks = uniform.reshape(-1, 16)
    radius = np.sqrt(-2 * np.log(1 - blocks[:, :8]))
    angle = uniform.dtype.type(2 * math.pi) * blocks[:, 8:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
