"""Samplers: the order in which a loader reads. With a generator, or after `manual_seed`, the orders are PyTorch's."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import numpy as np
from mindspore import Tensor

from .. import _rng, distributed
from .._stream import Stream
from ._host import to_array, to_tensor

Item = TypeVar("Item", covariant=True)
# how many indices PyTorch draws at once with replacement
_CHUNK = 32


class Sampler(Generic[Item]):
    """An iterable of indices, or of lists of indices."""

    def __init__(self, data_source: Any = None) -> None:
        pass

    def __iter__(self) -> Iterator[Item]:
        raise NotImplementedError("a sampler defines __iter__")


class SequentialSampler(Sampler[int]):
    """Every index in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order, with or without replacement."""

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices one pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        # PyTorch starts a stream of its own for each pass
        source = Stream(int(_rng.integers(0, 2**63, ()))) if self.generator is None else self.generator
        if self.replacement:
            for _ in range(self.num_samples // _CHUNK):
                yield from _rng.integers(0, n, _CHUNK, source).tolist()
            yield from _rng.integers(0, n, self.num_samples % _CHUNK, source).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from _rng.permutation(n, source).tolist()
            yield from _rng.permutation(n, source).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in _rng.permutation(len(self.indices), self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn in proportion to weights, which need not sum to 1."""

    def __init__(self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None) -> None:
        _positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        array = to_array(weights) if isinstance(weights, Tensor) else np.asarray(weights)
        if array.ndim != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {array.shape}")
        self.weights = to_tensor(array.astype(np.float64))
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        weights = to_array(self.weights)
        yield from _rng.multinomial(weights, self.num_samples, self.replacement, self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in lists."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        _positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class DistributedSampler(Sampler[int]):
    """The part of the indices that one of several processes reads."""

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        self.num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
        self.rank = distributed.get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]")
        self.dataset = dataset
        self.epoch = 0
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        short = len(dataset) - self.num_replicas if drop_last and len(dataset) % self.num_replicas else len(dataset)
        self.num_samples = math.ceil(short / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        n = len(self.dataset)
        order = _rng.permutation(n, Stream(self.seed + self.epoch)).tolist() if self.shuffle else list(range(n))
        if not self.drop_last:
            missing = self.total_size - n
            order += (order * math.ceil(missing / n))[:missing] if missing > 0 else []
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the shuffle of an epoch; without it every epoch has the same order."""
        self.epoch = epoch


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


