"""What runs in a worker process: the loop that answers the jobs of a loader."""

from __future__ import annotations

import faulthandler
import os
import pickle
import random
import signal
import traceback
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy as np

from .. import _rng
from . import _worker_tensors
from ._fetch import EndOfStream, make_fetcher
from ._transport import Channel

# how often an idle worker looks whether its loader is still there, seconds
_LOOK = 5.0


class WorkerInfo(NamedTuple):
    """What a worker knows about itself; what `get_worker_info` returns there."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


class Plan(NamedTuple):
    """How a loader reads: what every worker gets."""

    dataset: Any
    batch_size: int | None
    batched: bool
    collate_fn: Callable[[Any], Any]
    drop_last: bool
    worker_init_fn: Callable[[int], Any] | None
    num_workers: int
    base_seed: int
    forked: bool


class Failure(NamedTuple):
    """An exception of a worker on its way to the loader."""

    kind: type[BaseException]
    text: str
    # a MindSpore operation was called, which a forked process cannot run
    operation: bool = False

    def error(self, where: str) -> BaseException:
        """Return the exception to raise in the loader: of the same type where that can be built from a text."""
        message = f"Caught {self.kind.__name__} {where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            # the text of a KeyError is shown as a repr, which would hide the line breaks
            return KeyError(_Readable(message))
        try:
            return self.kind(message)
        except TypeError:
            return RuntimeError(message)


class _Readable(str):
    """Text whose repr is itself."""

    def __repr__(self) -> str:
        return str(self)


class Stop(NamedTuple):
    """Ends a worker."""


class Resume(NamedTuple):
    """Starts the next epoch of a persistent worker."""


class Job(NamedTuple):
    """One batch to fetch: its number and its indices."""

    number: int
    indices: Any


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return what the present worker knows about itself, None in the main process."""
    return _info


def set_worker_info(info: WorkerInfo | None) -> None:
    """Say which worker this process is, or stands in for."""
    global _info
    _info = info


def run(worker: int, plan: Plan, channel: Channel, foreign: list[Channel], trace: IO[Any] | None, parent: int) -> None:
    """Answer jobs until told to stop. `foreign` are ends of other connections that the fork copied."""
    for other in foreign:
        other.close()
    try:
        _prepare(worker, plan, trace)
        _serve(worker, plan, channel, parent)
    except (KeyboardInterrupt, EOFError, BrokenPipeError, ConnectionResetError):
        # the loader is gone, or is being interrupted itself
        pass


def _prepare(worker: int, plan: Plan, trace: IO[Any] | None) -> None:
    seed = plan.base_seed + worker
    random.seed(seed)
    _rng.seed(seed)
    low, high = plan.base_seed & 0xFFFFFFFF, plan.base_seed >> 32
    np.random.seed(np.random.SeedSequence([worker, low, high, 0]).generate_state(4))
    set_worker_info(WorkerInfo(worker, plan.num_workers, seed, plan.dataset))
    if trace is not None:
        faulthandler.register(signal.SIGUSR2, file=trace, all_threads=False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR2])
    if plan.forked:
        _worker_tensors.install()


def _serve(worker: int, plan: Plan, channel: Channel, parent: int) -> None:
    fetch: Callable[[Any], Any] | None = None
    broken: Failure | None = None
    try:
        if plan.worker_init_fn is not None:
            plan.worker_init_fn(worker)
        fetch = _fetcher(plan)
    except Exception as error:  # noqa: BLE001  (whatever it is, the loader raises it)
        broken = _failure(error)
    while True:
        if not channel.ready(_LOOK):
            if os.getppid() != parent:
                return
            continue
        message = channel.receive()
        if isinstance(message, Stop):
            return
        if isinstance(message, Resume):
            fetch, broken = _restart(plan, broken)
            continue
        _reply(channel, message.number, broken or _answer(fetch, message))


def _fetcher(plan: Plan) -> Callable[[Any], Any]:
    return make_fetcher(plan.dataset, plan.batch_size, plan.batched, plan.collate_fn, plan.drop_last)


def _restart(plan: Plan, broken: Failure | None) -> tuple[Callable[[Any], Any] | None, Failure | None]:
    try:
        return _fetcher(plan), broken
    except Exception as error:  # noqa: BLE001  (whatever it is, the loader raises it)
        return None, _failure(error)


def _answer(fetch: Any, job: Job) -> Any:
    try:
        return (fetch(job.indices),)
    except EndOfStream:
        return None
    except Exception as error:  # noqa: BLE001  (whatever it is, the loader raises it)
        return _failure(error)


def _reply(channel: Channel, number: int, answer: Any) -> None:
    try:
        channel.send((number, answer))
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        # a sample that cannot be sent, or an exception whose class cannot
        text = answer.text if isinstance(answer, Failure) else "".join(traceback.format_exception(error))
        channel.send((number, Failure(RuntimeError, text)))


def _failure(error: BaseException) -> Failure:
    text = "".join(traceback.format_exception(error))
    return Failure(type(error), text, isinstance(error, _worker_tensors.OperationInWorker))
