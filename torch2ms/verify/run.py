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

# by how much a sum of a thousand float32 products differs when it is added up in another order, relative to itself:
# what lies between the convolutions of two libraries
_ROUNDING = 5e-7


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
            comparison = compare(torch, mindspore, job.tolerance, _disturbed(job, Path(folder)))
    return Verdict(comparison, torch, mindspore)


def _disturbed(job: Job, folder: Path) -> list[Trace]:
    """Traces of the original with every weight moved by about the rounding of a sum, one way and the other."""
    traces = []
    for jitter in (_ROUNDING, -_ROUNDING):
        out = folder / f"disturbed{jitter}.npz"
        option = f"--jitter={jitter}"
        traces.append(_trace("torch2ms.verify.trace_torch", job, job.script, job.cwd, job.path, out, None, option))
    return [trace for trace in traces if not trace.error]


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
