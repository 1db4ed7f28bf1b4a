"""The two ways through a dataset: in this process, and with workers."""

from __future__ import annotations

import itertools
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .. import _rng
from ._fetch import EndOfStream, make_fetcher
from ._pool import WorkerPool, WorkerStuck
from ._workers import Failure, Job, Plan, Resume
from .dataset import IterableDataset

_ADVICE = (
    "Compute with numpy in the dataset, or pass num_workers=0 or multiprocessing_context='spawn'. The worker was at:\n"
)
_MOVED = (
    "The dataset runs MindSpore operations, which a forked worker process cannot: "
    "the main process reads it from here on. " + _ADVICE
)
_STREAM = "The dataset runs MindSpore operations, which a forked worker process cannot. " + _ADVICE


class Reading(NamedTuple):
    """How a loader reads. The passes hold this and not the loader, which holds a pass with persistent workers."""

    dataset: Any
    index_sampler: Iterable[Any]
    batch_size: int | None
    batched: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    generator: Any
    num_workers: int
    prefetch_factor: int
    timeout: float
    worker_init_fn: Callable[[int], Any] | None
    persistent: bool
    in_order: bool
    # tells the loader that the main process took over
    take_over: Callable[[bool], None]

    def base_seed(self) -> int:
        """Draw the seed of the workers: for every pass and before the sampler draws, as in PyTorch."""
        return int(_rng.integers(0, 2**63, (), self.generator))

    def fetcher(self) -> Any:
        """Return the function that makes batches."""
        return make_fetcher(self.dataset, self.batch_size, self.batched, self.collate_fn, self.drop_last)


class InProcess:
    """Fetches one batch when it is asked for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._jobs = iter(reading.index_sampler)
        reading.base_seed()
        self._fetch = reading.fetcher()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._reading.index_sampler)  # type: ignore[arg-type]

    def __next__(self) -> Any:
        job = next(self._jobs)
        try:
            return self._fetch(job)
        except EndOfStream:
            raise StopIteration from None


class WithWorkers:
    """Keeps workers supplied with jobs and gives their answers, in the order of the jobs unless told otherwise."""

    def __init__(self, reading: Reading, context: Any) -> None:
        self._reading = reading
        self._begin()
        plan = Plan(
            reading.dataset,
            reading.batch_size,
            reading.batched,
            reading.collate_fn,
            reading.drop_last,
            reading.worker_init_fn,
            reading.num_workers,
            reading.base_seed(),
            forked=context.get_start_method() == "fork",
        )
        self._pool = WorkerPool(plan, context)
        self._close = weakref.finalize(self, self._pool.shutdown)
        self._fill()

    def _begin(self) -> None:
        self._jobs: Iterator[tuple[int, Any]] = enumerate(iter(self._reading.index_sampler))
        self._live = set(range(self._reading.num_workers))
        self._turn = itertools.cycle(range(self._reading.num_workers))
        # jobs that were not given out yet, by number: the worker and its indices
        self._open: dict[int, tuple[int, Any]] = {}
        # jobs whose answer has not arrived, by number: the worker
        self._flying: dict[int, int] = {}
        self._answers: dict[int, Any] = {}
        self._delivered = 0
        self._substitute: Iterator[Any] | None = None

    @property
    def closed(self) -> bool:
        """Whether the workers are gone."""
        return not self._close.alive

    def restart(self) -> None:
        """Begin the next pass with the same workers."""
        while self._flying:
            self._take()
        self._begin()
        for worker in self._live:
            self._pool.send(worker, Resume())
        self._fill()

    def _fill(self) -> None:
        for _ in range(self._reading.num_workers * max(1, self._reading.prefetch_factor)):
            self._send_one()

    def _send_one(self) -> None:
        if not self._live:
            return
        job = next(self._jobs, None)
        if job is None:
            return
        number, indices = job
        worker = next(turn for turn in self._turn if turn in self._live)
        self._open[number] = worker, indices
        self._flying[number] = worker
        self._pool.send(worker, Job(number, indices))

    def _take(self) -> None:
        """Wait for one answer."""
        try:
            number, answer = self._pool.receive(set(self._flying.values()), self._reading.timeout)
        except WorkerStuck:
            raise
        except BaseException:
            self._close()
            raise
        del self._flying[number]
        if number not in self._open:
            return
        if answer is not None:
            self._answers[number] = answer
            return
        # the stream of this worker has ended, so its other jobs have no batch either
        worker = self._open.pop(number)[0]
        self._live.discard(worker)
        for other, (owner, _) in list(self._open.items()):
            if owner == worker and other not in self._answers:
                del self._open[other]
        self._send_one()

    def _following(self) -> int | None:
        """Return the number of the next answer to give, None at the end."""
        while self._open:
            if self._reading.in_order:
                number = next(iter(self._open))
            else:
                number = next((n for n in self._open if n in self._answers), -1)
            if number in self._answers:
                return number
            self._take()
        return None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return len(self._reading.index_sampler)  # type: ignore[arg-type]

    def __next__(self) -> Any:
        if self._substitute is not None:
            return next(self._substitute)
        try:
            number = self._following()
        except WorkerStuck as stuck:
            return self._go_on_here(str(stuck))
        if number is None:
            if not self._reading.persistent:
                self._close()
            raise StopIteration
        answer = self._answers[number]
        if isinstance(answer, Failure) and answer.operation:
            return self._go_on_here(answer.text)
        del self._answers[number]
        worker, _ = self._open.pop(number)
        self._send_one()
        if isinstance(answer, Failure):
            raise answer.error(f"in DataLoader worker process {worker}")
        self._delivered += 1
        return answer[0]

    def _go_on_here(self, place: str) -> Any:
        self._close()
        if isinstance(self._reading.dataset, IterableDataset):
            raise RuntimeError(_STREAM + place)
        warnings.warn(_MOVED + place, RuntimeWarning, stacklevel=3)
        self._reading.take_over(True)
        self._substitute = self._remaining()
        return next(self._substitute)

    def _remaining(self) -> Iterator[Any]:
        fetch = self._reading.fetcher()
        for number, (_, indices) in list(self._open.items()):
            answer = self._answers.get(number)
            yield answer[0] if answer is not None and not isinstance(answer, Failure) else fetch(indices)
        for _, indices in self._jobs:
            yield fetch(indices)
