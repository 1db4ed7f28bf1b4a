"""Random programs that write in place: the conversion computes what PyTorch computes, or says that it does not and raises."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.inplace.judge import Outcome, Verdict, judge
from tests.inplace.programs import MODES, READS, TRIPLES, program
from tests.inplace.tally import DOCUMENT, Tally, write_document
from tests.inplace.vocabulary import VIEWS, WRITES

pytestmark = pytest.mark.mindspore


def _check(text: str) -> None:
    outcome = judge(text)
    assert not outcome.is_fault, f"{outcome.verdict.value}\n{outcome.detail}\n\n{text}\n\n{outcome.converted}"


@seed(20)
@given(st.randoms(use_true_random=False), st.integers(0, 40 * len(TRIPLES)))
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_programs(rng: random.Random, number: int) -> None:
    _check(program(rng, number).text)


def test_every_cell_is_drawn() -> None:
    seen = Tally()
    for number in range(10_000):
        made = program(random.Random(number), number)
        seen.add(made.mode, Verdict.EQUAL, made.cells)
    count, cell = seen.fewest()[0]
    assert count >= 20, cell


def test_a_difference_is_seen() -> None:
    # the converter leaves what it is told to skip: the class goes on using PyTorch's name, and fails
    text = "import torch\nx = torch.ones(2)\ny = x.view(-1)\ny.mul_(2)\nRESULT = [x, y]\n"
    assert judge(text).verdict is Verdict.EQUAL
    assert judge(text.replace("RESULT = [x, y]", "RESULT = 1 / 0")).verdict is Verdict.INVALID


def test_the_document_has_a_table_for_each_mode(tmp_path) -> None:
    path = tmp_path / "inplace.md"
    path.write_text(DOCUMENT.read_text())
    tally = Tally()
    tally.add("plain", Verdict.REFUSED, [("alias", "method", "plain", "base")])
    write_document(tally, path)
    new, now = path.read_text().splitlines(), DOCUMENT.read_text().splitlines()
    assert len(new) == len(now), "run python -m tests.inplace 10000 --document"
    for line in (f"| view | {' | '.join(WRITES)} |", *(f"| {view} |" for view in VIEWS)):
        assert sum(found.startswith(line) for found in now) == len(MODES)


def test_outcomes_tell_faults_from_refusals() -> None:
    assert Outcome(Verdict.DIFFERS).is_fault and not Outcome(Verdict.REFUSED).is_fault
    assert set(READS) == {"base", "view", "alias", "argument"}
