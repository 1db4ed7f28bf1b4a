"""Mutated files: no crash, no byte changed on failure, and whatever is written parses.

TORCH2MS_FUZZ sets the number of mutations (3000 for a thorough run), TORCH2MS_FUZZ_TREES names folders of real projects,
joined as in PATH, whose files are mutated besides the examples and the generated programs.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.transforms.training.loops.program import make
from torch2ms.diagnostics import Severity
from torch2ms.project.config import Config
from torch2ms.project.discover import EntryKind
from torch2ms.project.run import options_of
from torch2ms.project.text import decode
from torch2ms.project.work import Context, Job, setup, work
from torch2ms.source import SourceFile

FOLDERS = [Path(__file__).parents[2] / "examples"]
FOLDERS += [Path(name) for name in os.environ.get("TORCH2MS_FUZZ_TREES", "").split(os.pathsep) if name]
REAL = [path.read_bytes() for folder in FOLDERS for path in sorted(folder.rglob("*.py"))]
GENERATED = [make(seed).encode() for seed in range(24)]
SNIPPETS = [
    b"\xff\xfe",
    b"\x00",
    b"# -*- coding: gbk -*-\n",
    b"\r",
    b"\x0c",
    b"'''",
    b"(",
    b"\t",
    b"torch.",
    b"\\\n",
    b"lambda: ",
    b"async ",
    b"\xe5\xbc\xa0",
]


@pytest.mark.slow
@settings(
    max_examples=int(os.environ.get("TORCH2MS_FUZZ", "60")), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_mutations(data):
    text = data.draw(st.sampled_from(REAL) | st.sampled_from(GENERATED))
    lines = text.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(lines) - 1, 0)))
        match data.draw(st.sampled_from(["truncate", "drop", "swap", "splice", "insert", "indent", "bytes"])):
            case "truncate":
                joined = b"".join(lines)
                lines = joined[: data.draw(st.integers(0, len(joined)))].splitlines(keepends=True)
            case "drop":
                del lines[at : at + data.draw(st.integers(1, 4))]
            case "swap" if len(lines) > at + 1:
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
            case "splice":
                other = data.draw(st.sampled_from(REAL)).splitlines(keepends=True) or [b""]
                start = data.draw(st.integers(0, len(other) - 1))
                lines[at:at] = other[start : start + 8]
            case "insert" if lines:
                where = data.draw(st.integers(0, len(lines[at])))
                lines[at] = lines[at][:where] + data.draw(st.sampled_from(SNIPPETS)) + lines[at][where:]
            case "indent" if lines:
                lines[at] = b"    " + lines[at]
            case _:
                lines.append(data.draw(st.binary(max_size=6)))
        lines = lines or [b""]
    check(b"".join(lines))


def check(mutated: bytes) -> None:
    setup(Context(None, options_of(Config())))
    outcome = work(Job("mutated.py", EntryKind.PYTHON, mutated))
    assert outcome.seconds < 60, "the converter hangs"
    source = decode(mutated, "mutated.py")
    failures = [d for d in outcome.diagnostics if d.code in ("T2M901", "T2M902")]
    if any("ParserSyntaxError" in d.message or "JoinError" in d.message for d in failures):
        # libcst refuses some valid Python (a form feed before a statement) and reads some of it with other
        # blocks (a continued line inside the indentation); the file is left alone then
        assert outcome.data is None
        return
    assert not failures
    if not isinstance(source, SourceFile):
        assert outcome.data is None and outcome.diagnostics
        return
    try:
        ast.parse(source.text)
    except (SyntaxError, ValueError):
        assert outcome.data is None
        return
    assert all(d.severity is not Severity.ERROR or d.code[:4] not in ("T2M0", "T2M9") for d in outcome.diagnostics)
    if outcome.data is not None:
        again = decode(outcome.data, "mutated.py")
        assert isinstance(again, SourceFile)
        ast.parse(again.text)
        second = work(Job("mutated.py", EntryKind.PYTHON, outcome.data))
        assert second.data is None, "a second run changes something"
