"""One batch from a dataset: a list of indices, or the next samples of a stream, collated."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from .collate import default_collate
from .dataset import Dataset, IterableDataset, Subset, TensorDataset


class EndOfStream(Exception):
    """The stream of an iterable dataset has no more samples."""


class MapFetcher:
    """Reads by index. Without automatic batching a job is one index, not a list."""

    def __init__(self, dataset: Dataset[Any], batched: bool, collate_fn: Callable[[Any], Any]) -> None:
        self.dataset = dataset
        self.batched = batched
        self.collate_fn = collate_fn

    def __call__(self, job: Any) -> Any:
        """Return the batch of a job."""
        if not self.batched:
            return self.collate_fn(self.dataset[job])
        if self.collate_fn is default_collate:
            gathered = gather(self.dataset, job)
            if gathered is not None:
                return gathered
        several = getattr(self.dataset, "__getitems__", None)
        if callable(several):
            return self.collate_fn(several(job))
        return self.collate_fn([self.dataset[index] for index in job])


class StreamFetcher:
    """Reads a stream. A job says nothing but "go on"."""

    def __init__(
        self, dataset: IterableDataset[Any], batch_size: int | None, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> None:
        self.samples = iter(dataset)
        self.batch_size = batch_size
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def __call__(self, job: Any) -> Any:
        """Return the next batch; raises EndOfStream."""
        if self.batch_size is None:
            for sample in self.samples:
                return self.collate_fn(sample)
            raise EndOfStream
        batch = list(itertools.islice(self.samples, self.batch_size))
        if not batch or (self.drop_last and len(batch) < self.batch_size):
            raise EndOfStream
        return self.collate_fn(batch)


def gather(dataset: Any, indices: Any) -> Any:
    """Return the collated rows of a TensorDataset or a Subset of one at once, None for other datasets."""
    # a subclass may override __getitem__
    if type(dataset) is TensorDataset:
        return dataset.gather(indices)
    if type(dataset) is Subset and isinstance(dataset.dataset, (TensorDataset, Subset)):
        return gather(dataset.dataset, [dataset.indices[i] for i in indices])
    return None


def make_fetcher(
    dataset: Any, batch_size: int | None, batched: bool, collate_fn: Callable[[Any], Any], drop_last: bool
) -> Callable[[Any], Any]:
    """Return the fetcher for a dataset."""
    if isinstance(dataset, IterableDataset):
        return StreamFetcher(dataset, batch_size, collate_fn, drop_last)
    return MapFetcher(dataset, batched, collate_fn)
