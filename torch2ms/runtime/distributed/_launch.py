"""Processes started from a script. https://pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable
from typing import Any


class ProcessContext:
    """Processes that were started together."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes = processes
        self._errors = errors

    def pids(self) -> list[int]:
        """Return the numbers of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the processes; raises what one of them raised, after ending the others."""
        for process in self.processes:
            process.join(timeout)
            if process.exitcode not in (0, None):
                break
        failed = next((i for i, process in enumerate(self.processes) if process.exitcode), None)
        if failed is None:
            return all(process.exitcode is not None for process in self.processes)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()
        error = self._errors[failed]
        text = f"\n\n-- Process {failed} terminated with the following error:\n{error.get()}" if not error.empty() else ""
        raise RuntimeError(f"process {failed} terminated with exit code {self.processes[failed].exitcode}{text}")


def _run(fn: Callable[..., Any], rank: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        fn(rank, *args)
    except KeyboardInterrupt:
        pass
    except BaseException:  # noqa: BLE001  (whatever it is, the parent raises it)
        errors.put(traceback.format_exc())
        raise SystemExit(1) from None


def spawn(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:  # fmt: skip
    """Run `fn(rank, *args)` in new processes."""
    context = multiprocessing.get_context(start_method)
    errors = [context.SimpleQueue() for _ in range(nprocs)]
    processes = [
        context.Process(target=_run, args=(fn, rank, args, errors[rank]), daemon=daemon)  # type: ignore[attr-defined]
        for rank in range(nprocs)
    ]
    for process in processes:
        process.start()
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None
