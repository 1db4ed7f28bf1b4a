"""torch.distributions through the converter, transforms and constraints by their modules too."""

from __future__ import annotations

from pathlib import Path

from tests.side_by_side import check

PROGRAM = Path(__file__).parents[1] / "programs" / "distributions.py"


def test_the_program_computes_the_same() -> None:
    text = check(PROGRAM.read_text()).text
    assert "unsupported" not in text
