"""Runs one script as `__main__` under a recorder and writes its trace; the entry of both traced processes."""

from __future__ import annotations

import argparse
import os
import random
import runpy
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from torch2ms.verify import numpy_two, stubs
from torch2ms.verify.record import Recorder
from torch2ms.verify.trace import Stop


@dataclass(frozen=True, slots=True)
class Options:
    """What a traced process is told on its command line."""

    out: Path
    script: Path
    arguments: list[str]
    steps: int
    seed: int
    fake_data: bool
    initial: Path | None
    path: list[str]
    stub: list[str]
    jitter: float


def options(argv: list[str]) -> Options:
    """Parse the command line of a traced process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fake-data", action="store_true")
    parser.add_argument("--initial", type=Path)
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--jitter", type=float, default=0.0)
    parser.add_argument("--stub", action="append", default=[])
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    known = parser.parse_args(argv)
    return Options(
        out=known.out.resolve(),
        script=known.script.resolve(),
        arguments=known.arguments,
        steps=known.steps,
        seed=known.seed,
        fake_data=known.fake_data,
        initial=known.initial and known.initial.resolve(),
        stub=known.stub,
        jitter=known.jitter,
        path=[str(Path(folder).resolve()) for folder in known.path],
    )


def _refused(error: Exception) -> str:
    """The API that the conversion refused and the script has reached now; empty for any other failure."""
    name, said, _ = str(error).partition(" was not converted to MindSpore")
    return name if said and isinstance(error, NotImplementedError) else ""


def run(recorder: Recorder, chosen: Options) -> int:
    """Run the script in the current folder, save the trace, return the exit code (1 when the script failed)."""
    trace = recorder.trace
    os.environ.setdefault("MPLBACKEND", "Agg")
    for name in chosen.stub:
        stubs.install(name)
    numpy_two.install()
    random.seed(chosen.seed)
    np.random.seed(chosen.seed)
    sys.argv = [str(chosen.script), *chosen.arguments]
    sys.path[0:0] = [str(chosen.script.parent), *chosen.path, os.getcwd()]
    try:
        runpy.run_path(str(chosen.script), run_name="__main__")
        trace.end = "finished"
    except Stop:
        trace.end = "stopped after steps"
    except SystemExit as leave:
        trace.end = f"exit {leave.code}"
    # whatever the user's script raises is the result of this run, not a failure of the tracer
    except Exception as error:  # noqa: BLE001
        trace.end, trace.error, trace.refused = "error", traceback.format_exc(), _refused(error)
        if not trace.steps:
            trace.final = recorder.state()
    if not trace.steps and trace.end not in ("stopped after steps", "error"):
        trace.final = recorder.state()
    trace.save(chosen.out)
    return 1 if trace.error else 0
