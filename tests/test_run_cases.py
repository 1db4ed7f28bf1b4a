"""Tests of the script that runs a folder of test programs: each outcome from the smallest program that has it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HALF = "import torch\nRESULT = {'half': torch.tensor([1.0, 3.0]) / 2}\n"
CASES = {
    "same": (HALF, {"half": [0.5, 1.5]}),
    "other": (HALF, {"half": [0.5, 1.6]}),
    "whole": ("import torch\nRESULT = {'half': torch.tensor([1, 2])}\n", {"half": [1.0, 2.0]}),
    "traced": ("import torch.fx\nRESULT = torch.fx.symbolic_trace(torch.nn.ReLU())\n", "never"),
    "raises": ("import torch\nRESULT = torch.ones(2)[5]\n", 1.0),
    "kills": ("import torch, os\nos.abort()\n", 1.0),
    "hangs": ("import torch, time\ntime.sleep(60)\n", 1.0),
    "plain": ("VALUE = 1\n", None),
}
OUTCOMES = {
    "same": "equal",
    "other": "different",
    "whole": "different",
    "traced": "refused",
    "raises": "error",
    "kills": "error",
    "hangs": "timeout",
    "plain": "untouched",
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The first word of each case's line, by its id."""
    folder = tmp_path_factory.mktemp("cases")
    (folder / "cases.tsv").write_text("id\tkind\n" + "".join(f"{name}\tsmall\n" for name in CASES))
    for name, (program, expected) in CASES.items():
        (folder / f"{name}.py").write_text(program)
        if expected is not None:
            (folder / f"{name}.expected.json").write_text(json.dumps(expected))
    command = [sys.executable, "-m", "scripts.run_cases", str(folder), "--timeout", "15"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stderr
    rows = [row.split() for row in done.stdout.splitlines() if " small " in row and not row.startswith("small")]
    return {row[2]: row[0] for row in rows}


@pytest.mark.mindspore
@pytest.mark.parametrize("name", CASES)
def test_outcome(outcomes: dict[str, str], name: str) -> None:
    assert outcomes[name] == OUTCOMES[name]
