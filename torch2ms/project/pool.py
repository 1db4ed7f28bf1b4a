"""Work on many items in worker processes, where the death of a worker costs one item and not the run."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from torch2ms.garbage import frozen

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# frames of libcst are small, but deep expressions need many of them
_STACK_BYTES = 256 << 20
_DEPTH = 40_000


class WorkerDied:
    """Stands for the answer of an item whose worker process died (killed, out of memory, native crash)."""


def default_jobs() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


def run(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    jobs: int,
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Iterator[tuple[int, Answer | WorkerDied]]:
    """Yields (index, function(item)) as they are done; `setup(*arguments)` runs once in each worker first."""
    if jobs <= 1 or len(items) <= 1:
        setup(*arguments)
        with frozen():
            for index, item in enumerate(items):
                yield index, function(item)
        return
    yield from _parallel(function, items, jobs, setup, arguments)


def _parallel(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    jobs: int,
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Iterator[tuple[int, Answer | WorkerDied]]:
    waiting = list(range(len(items)))
    alone = False
    while waiting:
        # after a death the items that were under way are tried one at a time, so that the guilty one is known
        batch, width = (waiting[:1], 1) if alone else (waiting, jobs)
        done: set[int] = set()
        died = False
        for index, answer in _attempt(function, items, batch, width, setup, arguments):
            if isinstance(answer, WorkerDied):
                died = True
            else:
                done.add(index)
                yield index, answer
        if alone and died:
            done.add(batch[0])
            yield batch[0], WorkerDied()
        waiting = [index for index in waiting if index not in done]
        alone = alone != died


def _attempt(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    batch: Sequence[int],
    width: int,
    setup: Callable[..., None],
    arguments: tuple[Any, ...],
) -> Iterator[tuple[int, Answer | WorkerDied]]:
    # a single file needs no process beside this one
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(width, context, _start_worker, (setup, arguments))
    try:
        futures: dict[Future[Answer], int] = {}
        for index in batch:
            try:
                futures[pool.submit(function, items[index])] = index
            except BrokenProcessPool:
                yield index, WorkerDied()
                break
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                yield futures[future], WorkerDied()
    except BaseException:
        _kill(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def apart(function: Callable[[Item], Answer], item: Item) -> Answer | WorkerDied:
    """function(item), computed in a process of its own, whose memory is given back afterwards."""
    # the process ends with its one answer: looking for garbage in it would only cost time
    answers = dict(_attempt(function, [item], [0], 1, gc.disable, ()))
    return answers[0]


def _kill(pool: ProcessPoolExecutor) -> None:
    processes = getattr(pool, "_processes", None) or {}
    for process in list(processes.values()):
        process.terminate()


def _start_worker(setup: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    # the parent answers Ctrl-C for all
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    setup(*arguments)
    # memory shared with the parent stays shared when collections do not touch it
    gc.freeze()


def with_deep_stack(function: Callable[[], Answer]) -> Answer:
    """The answer of `function`, run in a thread whose stack and recursion limit suit very deep syntax trees."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            answers.append(function())
        except BaseException as error:  # noqa: BLE001 handed to the caller's thread
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(_DEPTH)
    try:
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return answers[0]
