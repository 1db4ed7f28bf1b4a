"""Runs random training programs under PyTorch and their conversions under MindSpore.

    python -m tests.transforms.training.loops.run --start 0 --count 3000 --keep /tmp/found

Prints how many were equal, refused or invalid (PyTorch itself raises), and the seeds of those that were different or
raised; `--keep` writes their text and its conversion into a folder.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("GLOG_v", "3")

import mindspore
import numpy as np
import torch

from tests.side_by_side import Refused, assert_equal, convert, execute, plain
from tests.transforms.training.loops.program import make
from torch2ms.edits import Result
from torch2ms.runtime import _backend

TOLERANCE = 1e-4


@dataclass
class Outcome:
    """What became of one program: "equal", "refused", "invalid", "raised" or "different"."""

    kind: str
    why: str = ""
    source: str = ""
    result: Result | None = None
    forms: dict[str, int] = field(default_factory=dict)


def compare(seed: int) -> Outcome:
    """Run the program of a seed on both sides."""
    source = make(seed)
    try:
        expected = _run(source, f"original_{seed}")
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises, the program is none
        return Outcome("invalid", f"{type(error).__name__}: {error}")
    try:
        result = convert(source)
    except Refused as refused:
        return Outcome("refused", str(refused).splitlines()[0].partition(" ")[2])
    outcome = Outcome("equal", source=source, result=result, forms=dict(result.stats.loops))
    try:
        found = _run(result.text, f"converted_{seed}")
        assert_equal(expected, found, _tolerance(source, expected, seed))
    except AssertionError as error:
        outcome.kind, outcome.why = "different", str(error)
    except Exception:  # noqa: BLE001 - any exception is a finding
        outcome.kind, outcome.why = "raised", traceback.format_exc()
    finally:
        _backend.stop_recording()
    return outcome


def _run(text: str, name: str) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        return plain(execute(text, name)["RESULT"])


def _tolerance(source: str, expected: Any, seed: int) -> float:
    """What rounding can do to a program: some times what it does to PyTorch's own run in float32."""
    torch.set_default_dtype(torch.float64)
    try:
        wide = _run(source.replace('"float32"', '"float64"'), f"wide_{seed}")
    finally:
        torch.set_default_dtype(torch.float32)
    return max(TOLERANCE, min(50 * max(_gaps(expected, wide), default=0.0), 1e-2))


def _gaps(a: Any, b: Any) -> Iterator[float]:
    if isinstance(a, list):
        for x, y in zip(a, b, strict=False):
            yield from _gaps(x, y)
        return
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.size and x.shape == y.shape:
        yield float(np.abs(x - y).max() / max(1.0, np.abs(x).max()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    mindspore.runtime.launch_blocking()
    torch.set_num_threads(1)
    tally: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    begun = time.monotonic()
    for seed in range(options.start, options.start + options.count):
        outcome = compare(seed)
        tally[outcome.kind if outcome.kind != "refused" else f"refused: {outcome.why}"] += 1
        forms.update(outcome.forms)
        if outcome.kind not in ("different", "raised"):
            continue
        print(seed, outcome.kind, " ".join(outcome.why.split())[-200:], flush=True)
        if options.keep is not None and outcome.result is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{seed}.py").write_text(outcome.source)
            (options.keep / f"{seed}.converted.py").write_text(outcome.result.text)
    for name, count in tally.most_common():
        print(f"{count:6} {name}")
    print("forms", dict(forms), f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
