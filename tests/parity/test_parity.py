"""A sample of the parity table, the same on every run; `python -m tests.parity` makes the whole of it."""

from __future__ import annotations

import random

import pytest

from tests.parity import pool, table
from tests.parity.calls import dtypes, subjects

SUBJECTS, CASES = 120, 2

# the pool needs no MindSpore in this process, but its workers do
pytestmark = pytest.mark.mindspore


def _jobs() -> list[pool.Job]:
    every = [(subject, dtype) for subject in subjects() for dtype in dtypes(subject)]
    chosen = random.Random(0).sample(every, SUBJECTS)
    return [pool.Job(subject, dtype, CASES, jit=False) for subject, dtype in chosen]


def test_a_sample_of_every_form_agrees_or_is_refused() -> None:
    rows = list(pool.run(_jobs(), processes=1))
    assert len(rows) == SUBJECTS
    assert sum(row.equal for row in rows) > SUBJECTS / 2
    assert table.faults(rows) == []
