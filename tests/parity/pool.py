"""Worker processes that take subjects one by one and are started again after a crash."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from tests.parity.calls import Subject
from tests.parity.rows import Row

_ROOT = Path(__file__).parents[2]
PATIENCE = 180  # seconds for one case, most of it for a first compilation on a busy machine


@dataclass(frozen=True)
class Job:
    """A subject in one dtype."""

    subject: Subject
    dtype: str
    count: int | None
    jit: bool


def run(jobs: Iterable[Job], processes: int) -> Iterator[Row]:
    """Yield the rows as they come, in no order."""
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    done: SimpleQueue[Row | None] = SimpleQueue()
    with ThreadPoolExecutor(processes) as threads:
        for _ in range(processes):
            threads.submit(_serve, waiting, done.put)
        left = processes
        while left:
            row = done.get()
            if row is None:
                left -= 1
            else:
                yield row


def _serve(waiting: SimpleQueue[Job], done: Callable[[Row | None], None]) -> None:
    process = _Process()
    try:
        while True:
            try:
                job = waiting.get_nowait()
            except Empty:
                return
            done(process.row(job))
    finally:
        process.stop()
        done(None)


class _Process:
    """One worker, replaced when it dies."""

    def __init__(self) -> None:
        self._popen: subprocess.Popen[bytes] | None = None
        self._read = b""

    def row(self, job: Job) -> Row:
        subject = job.subject
        total = Row(subject.entry, subject.form, subject.api, job.dtype)
        start = 0
        while True:
            row, at, why = self._attempt(job, start)
            if row is not None:
                total.merge(row)
                return total
            total.error += 1
            total.note("error", why, f"case {at}")
            start = at + 1
            if total.error > 20:
                return total

    def _attempt(self, job: Job, start: int) -> tuple[Row | None, int, str]:
        popen = self._running()
        assert popen.stdin is not None and popen.stdout is not None
        subject = job.subject
        message = {
            "subject": [subject.entry, subject.form, subject.api],
            "dtype": job.dtype, "count": job.count, "jit": job.jit, "start": start,
        }  # fmt: skip
        popen.stdin.write(json.dumps(message).encode() + b"\n")
        popen.stdin.flush()
        at = start
        while True:
            answer = self._answer(popen)
            if isinstance(answer, str):
                self.stop()
                return None, at, answer
            if "row" in answer:
                return Row.from_json(answer["row"]), at, ""
            at = answer["at"]

    def _answer(self, popen: subprocess.Popen[bytes]) -> dict[str, Any] | str:
        """The next answer, or why there will be none."""
        assert popen.stdout is not None
        while b"\n" not in self._read:
            if not select.select([popen.stdout], [], [], PATIENCE)[0]:
                return f"no answer within {PATIENCE} s"
            data = os.read(popen.stdout.fileno(), 65536)
            if not data:
                return f"the process died with code {popen.wait()}"
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return dict(json.loads(line))

    def _running(self) -> subprocess.Popen[bytes]:
        if self._popen is None or self._popen.poll() is not None:
            self._read = b""
            environment = {"GLOG_v": "3", "OMP_NUM_THREADS": "1", **os.environ}
            environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
            self._popen = subprocess.Popen(
                [sys.executable, "-m", "tests.parity.worker"],
                cwd=_ROOT, env=environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        return self._popen

    def stop(self) -> None:
        if self._popen is not None:
            self._popen.kill()
            self._popen.wait()
            self._popen = None
