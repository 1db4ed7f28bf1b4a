"""The worker processes of a loader: starting, feeding, watching and stopping them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import IO, Any

import mindspore

from . import _worker_tensors
from ._transport import Channel, channel_pair
from ._workers import Job, Plan, Resume, Stop, run

# how often a waiting loader looks at its workers, from when on, and how long it waits for their answer, seconds
_LOOK, _SUSPICIOUS, _ANSWER = 1.0, 2.0, 0.02
# a worker that is at the same place for so many looks may be stuck
_PATIENCE = 4
_OPERATIONS = os.path.dirname(mindspore.__file__) + os.sep
# these run without operations, and may take long
_PIPELINES = os.path.join(_OPERATIONS, "dataset", "")
_GRACE = 5.0
# files whose functions wait on purpose
_WAITING = ("threading.py", "queue.py", "selectors.py", "socket.py", "subprocess.py", "connection.py", "_transport.py")


class WorkerStuck(Exception):
    """A worker waits for a lock that only a thread of the main process could release."""


class WorkerPool:
    """Processes that answer jobs. `receive` gives the answers in the order in which they arrive."""

    def __init__(self, plan: Plan, context: Any) -> None:
        self._channels: list[Channel] = []
        self._processes: list[Any] = []
        self._traces: list[IO[Any] | None] = []
        self._owner = os.getpid()
        if plan.forked:
            _worker_tensors.prepare()
        parent = os.getpid() if context.get_start_method() != "forkserver" else -1
        try:
            for worker in range(plan.num_workers):
                self._start(worker, plan, context, parent)
        except BaseException:
            self.shutdown()
            raise

    def _start(self, worker: int, plan: Plan, context: Any, parent: int) -> None:
        ours, theirs = channel_pair()
        trace = tempfile.TemporaryFile("w+") if plan.forked and os.path.isdir("/proc") else None
        # only a forked worker inherits the ends of the others
        foreign = [*self._channels, ours] if plan.forked else []
        arguments = (worker, plan, theirs, foreign, trace, parent)
        process = context.Process(target=run, args=arguments, daemon=True, name=f"loader-worker-{worker}")
        self._channels.append(ours)
        self._traces.append(trace)
        # the worker takes the signal when it is ready for it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()
        self._processes.append(process)

    def send(self, worker: int, message: Job | Resume) -> None:
        """Give a worker something to do."""
        try:
            self._channels[worker].send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise self._death(worker) from None

    def receive(self, busy: set[int], timeout: float) -> tuple[int, Any]:
        """Return (number of the job, answer). `busy` are the workers with jobs; a timeout of 0 waits for ever."""
        waited, watch = time.monotonic(), _Watch()
        channels: dict[Any, int] = {self._channels[worker]: worker for worker in sorted(busy)}
        while True:
            left = timeout - (time.monotonic() - waited) if timeout else _LOOK
            if timeout and left <= 0:
                raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
            for channel in wait(list(channels), min(_LOOK, left)):
                worker = channels[channel]
                try:
                    return self._channels[worker].receive()
                except (EOFError, ConnectionResetError):
                    raise self._death(worker) from None
            if time.monotonic() - waited > _SUSPICIOUS:
                self._look_for_stuck(busy, watch)

    def _death(self, worker: int) -> RuntimeError:
        process = self._processes[worker]
        process.join(_GRACE)
        code = process.exitcode
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        return RuntimeError(f"DataLoader worker (pid {process.pid}) exited unexpectedly with {how}")

    def _look_for_stuck(self, busy: set[int], watch: _Watch) -> None:
        watched = [worker for worker in busy if self._traces[worker] is not None]
        for worker in watched:
            self._ask_for_trace(worker)
        time.sleep(_ANSWER)
        for worker in watched:
            pid = self._processes[worker].pid
            frames = self._read_trace(worker)
            if frames and watch.unchanged(pid, frames) >= _PATIENCE and _is_stuck(pid, frames, watch):
                self._kill()
                raise WorkerStuck("\n".join(frames))

    def _ask_for_trace(self, worker: int) -> None:
        trace: Any = self._traces[worker]
        trace.seek(0)
        trace.truncate()
        if self._processes[worker].is_alive():
            os.kill(self._processes[worker].pid, signal.SIGUSR2)

    def _read_trace(self, worker: int) -> list[str]:
        """Return the Python frames of a worker, innermost first."""
        trace: Any = self._traces[worker]
        trace.seek(0)
        return [line.strip() for line in trace.read().splitlines() if line.strip().startswith("File ")]

    def _kill(self) -> None:
        for process in self._processes:
            process.kill()

    def shutdown(self) -> None:
        """Stop all workers; the ones that do not follow are ended."""
        # a process that was forked off with this pool in it leaves the workers to their loader
        if os.getpid() != self._owner:
            return
        for channel in self._channels:
            try:
                channel.send(Stop())
            except OSError:
                pass
            channel.close()
        deadline = time.monotonic() + _GRACE
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.terminate()
                process.join(1.0)
            if process.is_alive():
                process.kill()
        for trace in self._traces:
            if trace is not None:
                trace.close()
        self._channels, self._processes, self._traces = [], [], []


class _Watch:
    """Remembers what processes did at the last looks."""

    def __init__(self) -> None:
        self._frames: dict[int, tuple[list[str], int]] = {}
        self._used: dict[int, tuple[str, int]] = {}

    def unchanged(self, pid: int, frames: list[str]) -> int:
        """Return for how many looks in a row a process has been at the same place."""
        before, count = self._frames.get(pid, ([], 0))
        self._frames[pid] = frames, count + 1 if frames == before else 0
        used = _processor_time(pid)
        before_used, idle = self._used.get(pid, ("", 0))
        self._used[pid] = used, idle + 1 if used and used == before_used else 0
        return self._frames[pid][1]

    def idle(self, pid: int) -> int:
        """Return for how many looks in a row a process has used no processor time."""
        return self._used[pid][1]


def _is_stuck(pid: int, frames: list[str], watch: _Watch) -> bool:
    """Tell whether a process that stays at one place waits for what will never come."""
    if _OPERATIONS in frames[0] and _PIPELINES not in frames[0]:
        # operations wait by asking again and again
        return True
    lock = watch.idle(pid) >= _PATIENCE and _waits_for_lock(pid)
    return lock and not any(name in frames[0] for name in _WAITING)


def _processor_time(pid: int) -> str:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return " ".join(fields[11:13])


def _waits_for_lock(pid: int) -> bool:
    try:
        return "futex" in Path(f"/proc/{pid}/wchan").read_text()
    except OSError:
        return False


def start_context(choice: Any) -> Any:
    """Return the multiprocessing context that the argument names; fork where there is one."""
    if choice is not None and not isinstance(choice, str):
        return choice
    methods = multiprocessing.get_all_start_methods()
    if choice is None:
        choice = "fork" if "fork" in methods else methods[0]
    if choice not in methods:
        raise ValueError(f"multiprocessing_context should be one of {methods}, got {choice!r}")
    return multiprocessing.get_context(choice)
