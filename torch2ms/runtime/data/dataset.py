"""Datasets: what a loader reads samples from. https://pytorch.org/docs/stable/data.html"""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from mindspore import Tensor

from .. import _rng
from ._host import to_array, to_tensor

Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """A collection of samples that an index or key reaches."""

    def __getitem__(self, index: Any) -> Sample:
        raise NotImplementedError("a dataset defines __getitem__")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample]):
    """A stream of samples."""

    def __iter__(self) -> Iterator[Sample]:
        raise NotImplementedError("an iterable dataset defines __iter__")

    def __add__(self, other: Dataset[Any]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """Rows of tensors of equal length along their first axis."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensor) != len(tensors[0]) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        if isinstance(index, Tensor):
            index = to_array(index)
        return tuple(to_tensor(to_array(tensor)[index]) for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])

    def gather(self, indices: Sequence[int]) -> list[Tensor]:
        """Return the batch of the given rows, what collating them one by one would give."""
        rows = np.asarray(indices, np.int64)
        return [to_tensor(to_array(tensor)[rows]) for tensor in self.tensors]


class StackDataset(Dataset[Any]):
    """Several datasets of equal length, sample by sample: tuples for positional, dicts for keyword arguments."""

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Dataset[Any], **kwargs: Dataset[Any]) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError("StackDataset takes either positional or keyword datasets, at least one")
        self.datasets = args or kwargs
        lengths = {len(dataset) for dataset in args or tuple(kwargs.values())}  # type: ignore[arg-type]
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {key: dataset[index] for key, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """Datasets one after the other."""

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Sequence[Any]) -> list[int]:
        """Return the running sums of the lengths."""
        return list(itertools.accumulate(len(part) for part in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        part = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[part][index - (self.cumulative_sizes[part - 1] if part else 0)]


class ChainDataset(IterableDataset[Any]):
    """Streams one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class Subset(Dataset[Sample]):
    """The samples of a dataset at given indices."""

    def __init__(self, dataset: Dataset[Sample], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: Sequence[int]) -> list[Sample]:
        """Return several samples at once."""
        chosen = [self.indices[i] for i in indices]
        several = getattr(self.dataset, "__getitems__", None)
        return several(chosen) if callable(several) else [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[Sample], lengths: Sequence[int | float], generator: Any = None
) -> list[Subset[Sample]]:
    """Split a dataset at random into parts of the given lengths, or fractions that sum to 1.

    A generator gives PyTorch's split of the same seed.
    """
    total = len(dataset)  # type: ignore[arg-type]
    counts = _counts(lengths, total) if math.isclose(sum(lengths), 1) and sum(lengths) <= 1 else list(lengths)
    if sum(counts) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _rng.permutation(total, generator).tolist()
    ends = itertools.accumulate(int(count) for count in counts)
    return [Subset(dataset, order[end - int(count) : end]) for end, count in zip(ends, counts)]


def _counts(fractions: Sequence[float], total: int) -> list[int | float]:
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    counts = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    for i, count in enumerate(counts):
        if count == 0:
            warnings.warn(f"Length of split at index {i} is 0. The dataset of it is empty.", stacklevel=3)
    return [*counts]
