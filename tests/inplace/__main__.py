"""Runs many random programs that write in place, in processes of their own, and counts what became of them.

    python -m tests.inplace 10000                 # the whole matrix
    python -m tests.inplace 10000 --document      # and writes the table of docs/inplace.md
    python -m tests.inplace --show 4711           # one program with its conversion

A process that dies or hangs is blamed on the program that it ran, and the rest goes on in a new one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.inplace.judge import FAULTS, Verdict
from tests.inplace.programs import TRIPLES
from tests.inplace.tally import Tally, write_document

_CHUNK = 100
_PATIENCE = 120.0  # seconds without an answer


class Sweep:
    """The programs FIRST to LAST - 1 of a seed."""

    def __init__(self, seed: int, first: int, last: int, faults: Path | None, minutes: float = math.inf) -> None:
        self.seed = seed
        self._end = time.monotonic() + 60 * minutes
        self.tally = Tally()
        self._faults = faults
        self._lock = threading.Lock()
        self._chunks: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        for start in range(first, last, _CHUNK):
            self._chunks.put((start, min(start + _CHUNK, last)))

    def run(self, workers: int) -> None:
        """Runs all chunks in so many processes at a time."""
        threads = [threading.Thread(target=self._work) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self) -> None:
        while True:
            try:
                first, last = self._chunks.get_nowait()
            except queue.Empty:
                return
            while first < last and time.monotonic() < self._end:
                first = self._chunk(first, last)

    def _chunk(self, first: int, last: int) -> int:
        """Runs a process; returns the number after the last program that it answered for, or died of."""
        command = [sys.executable, "-m", "tests.inplace.worker", str(self.seed), str(first), str(last)]
        environment = {"GLOG_v": "3", "OMP_NUM_THREADS": "1", **os.environ}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as process:
            assert process.stdout is not None
            current = first
            timer = threading.Timer(_PATIENCE, process.kill)
            timer.start()
            for line in process.stdout:
                timer.cancel()
                if line.startswith("> "):
                    current = int(line[2:])
                elif line.startswith("{"):
                    self._count(json.loads(line))
                    current += 1
                timer = threading.Timer(_PATIENCE, process.kill)
                timer.start()
            timer.cancel()
        if current < last:
            view, write, mode = TRIPLES[current % len(TRIPLES)]
            self._count({"number": current, "verdict": "CRASH", "detail": f"exit code {process.returncode}", "cells": [[view, write, mode, "base"]], "text": "", "converted": ""})
            current += 1
        return current

    def _count(self, report: dict) -> None:
        verdict = Verdict[report["verdict"]]
        with self._lock:
            self.tally.add(report["cells"][0][2], verdict, report["cells"])
            done = sum(self.tally.verdicts.values())
            if verdict in FAULTS:
                print(f"{report['number']}: {verdict.value}: {' '.join(report['detail'].split())[:200]}", flush=True)
                if self._faults is not None:
                    name = self._faults / f"{report['number']}.txt"
                    name.write_text("\n\n".join([report["detail"], report["text"], report["converted"]]))
            if done % 1000 == 0:
                print(f"{done} programs, {self.tally.faults} faults", flush=True)


def main() -> int:
    """Runs the sweep; the exit code says whether a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--faults", type=Path, help="a folder for the programs that fail")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing new after so long")
    parser.add_argument("--document", action="store_true", help="write the figures into docs/inplace.md")
    parser.add_argument("--show", type=int, help="run one program and show it")
    options = parser.parse_args()
    if options.show is not None:
        from tests.inplace.worker import run

        found = run(options.seed, options.show, always=True)
        print(found["text"], found["converted"], found["verdict"], found["detail"], sep="\n")
        return 0
    if options.faults is not None:
        options.faults.mkdir(parents=True, exist_ok=True)
    sweep = Sweep(options.seed, options.first, options.first + options.count, options.faults, options.minutes)
    sweep.run(options.workers)
    print(*sweep.tally.summary(), sep="\n")
    print("fewest programs in a cell:", *(f"{n} {'/'.join(cell)}" for n, cell in sweep.tally.fewest()), sep="\n  ")
    if options.document:
        write_document(sweep.tally)
    return 1 if sweep.tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
