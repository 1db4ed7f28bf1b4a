"""Runs both sides in processes of their own and compares their traces."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from torch2ms.verify.compare import Comparison, Tolerance, compare
from torch2ms.verify.trace import Trace

# the relative size of the last bit of a float32
_LAST_BIT = 6e-8


@dataclass(frozen=True, slots=True)
class Job:
    """What to verify: a script, its conversion, its arguments.

    `cwd` and `converted_cwd` are the folders that the two runs start in, `path` and `converted_path` more folders to
    import from, `stub` names packages (say, a logger) that both runs see as empty shells. A trace of the original is
    read from `reference` where that file exists, and kept there otherwise.
    """

    script: Path
    converted: Path
    arguments: Sequence[str] = ()
    steps: int = 4
    seed: int = 0
    fake_data: bool = False
    cwd: Path | None = None
    converted_cwd: Path | None = None
    path: Sequence[Path] = ()
    converted_path: Sequence[Path] = ()
    stub: Sequence[str] = ()
    reference: Path | None = None
    timeout: float = 600.0
    tolerance: Tolerance = field(default_factory=Tolerance)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The comparison and both traces."""

    comparison: Comparison
    torch: Trace
    mindspore: Trace


def verify(job: Job) -> Verdict:
    """Run the original, then its conversion from the same weights and random numbers, and compare."""
    with tempfile.TemporaryDirectory(prefix="torch2ms-verify-") as folder:
        first, second = job.reference or Path(folder, "torch.npz"), Path(folder, "mindspore.npz")
        torch = Trace.load(first) if first.exists() else Trace(error="not run")
        if torch.error:
            torch = _trace("torch2ms.verify.trace_torch", job, job.script, job.cwd, job.path, first, None)
        mindspore = Trace(end="not run")
        if torch.losses:
            mindspore = _trace(
                "torch2ms.verify.trace_mindspore",
                job,
                job.converted,
                job.converted_cwd,
                job.converted_path,
                second,
                first,
            )
        comparison = compare(torch, mindspore, job.tolerance)
        if comparison.losses and not comparison.ok and not comparison.problems:
            third = Path(folder, "disturbed.npz")
            disturbed = _trace(
                "torch2ms.verify.trace_torch", job, job.script, job.cwd, job.path, third, None, f"--jitter={_LAST_BIT}"
            )
            comparison = compare(torch, mindspore, job.tolerance, disturbed)
    return Verdict(comparison, torch, mindspore)


def _trace(
    module: str,
    job: Job,
    script: Path,
    cwd: Path | None,
    path: Sequence[Path],
    out: Path,
    initial: Path | None,
    *more: str,
) -> Trace:
    if not script.is_file():
        return Trace(end="not run", error=f"there is no script {script}")
    command = [sys.executable, "-m", module, "--out", str(out), "--steps", str(job.steps), "--seed", str(job.seed)]
    command += ["--fake-data"] if job.fake_data else []
    command += ["--initial", str(initial)] if initial else []
    command += [f"--path={folder}" for folder in path]
    command += [f"--stub={name}" for name in job.stub]
    command += more
    command += [str(script.resolve()), *job.arguments]
    package_root = str(Path(__file__).resolve().parents[2])
    search = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        "GLOG_v": "3",
        "PYTHONHASHSEED": str(job.seed),
        "PYTHONPATH": search,
        "CUDA_VISIBLE_DEVICES": "",
    }
    try:
        done = subprocess.run(
            command,
            cwd=cwd or script.parent,
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=job.timeout,
        )
    except subprocess.TimeoutExpired:
        return Trace(end="timeout", error=f"the run took longer than {job.timeout:g} s")
    if out.exists():
        return Trace.load(out)
    return Trace(
        end="crash", error=f"the process ended with {done.returncode}: {done.stderr.strip()[-2000:] or 'no message'}"
    )
