"""User time and memory of whole commands: torch2ms with an empty and with a filled cache, and PaConvert on the same tree."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
# shares of PaConvert's user time and of the first run's, and the memory of a worker in MB
OF_PACONVERT, OF_FIRST, WORKER_MB = 1 / 3, 0.1, 150


@dataclass(frozen=True)
class Cost:
    """User seconds of a command with all its processes, and the MB at which each of its child processes peaked."""

    user: float
    child_mb: tuple[float, ...]


def run(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    """Runs a command to its end; one that is used wrongly ends the benchmark."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, cwd=ROOT, env={**os.environ, **environment})
        peaks: dict[int, float] = {}
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            for child in _children(process.pid):
                peaks[child] = max(peaks.get(child, 0.0), _peak_mb(child))
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            said.seek(0)
            raise SystemExit(f"{' '.join(command)}: {said.read()[-2000:].decode(errors='replace')}")
    return Cost(usage.ru_utime, tuple(sorted(peaks.values(), reverse=True)))


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _peak_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def compare(tree: Path, paconvert: str, repeat: int) -> None:
    """Prints the figures of each round, in turns, as a busy machine is faster at some times than at others."""
    rounds = []
    for number in range(1, repeat + 1):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ours = [sys.executable, "-m", "torch2ms", "convert", str(tree), "-o", str(folder / "ours")]
            environment = {"TORCH2MS_CACHE_DIR": str(folder / "cache")}
            first, second = run(ours, environment), run(ours, environment)
            theirs = [paconvert, "-i", str(tree), "-o", str(folder / "theirs"), "--log_dir", str(folder / "log")]
            other = run(theirs, {})
        rounds.append((first.user / other.user, second.user / first.user))
        # the largest is the process that reads the whole project for its facts, where there is one; the others convert
        memory = ", ".join(f"{peak:.0f}" for peak in first.child_mb)
        print(
            f"round {number}: user time {first.user:.1f} s, second run {second.user:.2f} s, PaConvert {other.user:.1f} s; "
            f"child processes peaked at {memory} MB (budget {WORKER_MB})",
            flush=True,
        )
    of_paconvert, of_first = (statistics.median(shares) for shares in zip(*rounds))
    print(
        f"medians: {of_paconvert:.3f} of PaConvert's user time (budget {OF_PACONVERT:.3f}), "
        f"second run {of_first:.3f} of the first (budget {OF_FIRST})"
    )
