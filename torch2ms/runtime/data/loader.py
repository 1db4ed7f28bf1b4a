"""The loader: batches from a dataset, in this process or from workers.

https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._iterate import InProcess, Reading, WithWorkers
from ._pool import start_context
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler


class _Endless:
    """The sampler of a stream: jobs that only say "go on"."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader:
    """Batches of a dataset, as an iterable.

    `pin_memory` and `pin_memory_device` are accepted and have no effect: MindSpore copies to the device by itself.
    Workers are forked and cannot run MindSpore operations (creating tensors is none); a dataset that does is read in
    this process instead, with a warning. `multiprocessing_context="spawn"` starts workers that can.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.persistent_workers = persistent_workers
        self.in_order = in_order
        self._moved: list[bool] = []
        self._workers: WithWorkers | None = None
        self._set_sampling(batch_size, shuffle, sampler, batch_sampler, drop_last)
        batched = self.batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)

    def _set_sampling(
        self,
        batch_size: int | None,
        shuffle: bool | None,
        sampler: Iterable[Any] | None,
        batch_sampler: Iterable[Any] | None,
        drop_last: bool,
    ) -> None:
        if isinstance(self.dataset, IterableDataset):
            _check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = self._default_sampler(bool(shuffle))
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler

    def _default_sampler(self, shuffle: bool) -> Iterable[Any]:
        if isinstance(self.dataset, IterableDataset):
            return _Endless()
        return RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)

    @property
    def index_sampler(self) -> Iterable[Any]:
        """The sampler whose items are the jobs: lists of indices, or single ones without batching."""
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> Iterator[Any]:
        if self.num_workers == 0 or self.in_process:
            return InProcess(self._reading())
        if not self.persistent_workers:
            return WithWorkers(self._reading(), start_context(self.multiprocessing_context))
        if self._workers is None or self._workers.closed:
            self._workers = WithWorkers(self._reading(), start_context(self.multiprocessing_context))
        else:
            self._workers.restart()
        return self._workers

    def _reading(self) -> Reading:
        return Reading(
            self.dataset,
            self.index_sampler,
            self.batch_size,
            self.batch_sampler is not None,
            self.collate_fn,
            self.drop_last,
            self.generator,
            self.num_workers,
            self.prefetch_factor or 1,
            self.timeout,
            self.worker_init_fn,
            self.persistent_workers,
            self.in_order,
            self._moved.append,
        )

    @property
    def in_process(self) -> bool:
        """Whether the main process reads, because a worker could not run what the dataset does."""
        return bool(self._moved)

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.index_sampler)  # type: ignore[arg-type]
        length = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_workers": None}


def _check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool, context: Any
) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch_factor is not None and num_workers == 0:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing: use num_workers > 0")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if context is not None:
        if num_workers == 0:
            raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0)")
        start_context(context)


def _check_stream(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    options = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
