from __future__ import annotations

from pathlib import Path

import pytest

from tests.trees import Tally, changed_lines, check_result, check_tree, unbound
from torch2ms.edits import Result, Stats
from torch2ms.source import SourceFile

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("example", sorted(p.name for p in EXAMPLES.iterdir() if p.is_dir()))
def test_examples(example: str) -> None:
    tally = check_tree(EXAMPLES / example)
    assert not tally.failures
    assert tally.changed and tally.lines_per_site <= 1.6
    assert not tally.refused


def checked(before: str, after: str) -> list[str]:
    """What is found wrong about an output."""
    tally = Tally()
    check_result(Result(SourceFile("a.py", before), after, (), Stats({"proven": 1})), tally)
    return tally.failures


def test_what_the_check_finds() -> None:
    assert checked("x = 1  # one\n", "x = 2  # one\n") == []
    assert "lost comments" in checked("x = 1  # one\n", "x = 2\n")[0]
    assert "does not compile" in checked("x = 1\n", "return\n")[0]
    assert "nothing binds ['mint']" in checked("x = 1\n", "x = mint.zeros(1)\n")[0]


def test_unbound_names() -> None:
    assert unbound("def f(a): return a, b, len\n") == {"b"}
    assert unbound("from os import *\ndef f(a): return b\n") == set()
    assert unbound("x: 'quoted' = 1\n") == set()


def test_changed_lines() -> None:
    assert changed_lines("a\nb\nc\n", "a\nc\n") == 1
    assert changed_lines("a\nb\n", "a\nx\ny\n") == 2
