"""Small training programs in many spellings beside PyTorch: losses, weights, statistics, and the form of each backward."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from tests.transforms.training.spellings import fifth, first, fourth, second, third
from tests.transforms.training.spellings.head import HEAD, TAIL
from torch2ms.runtime import _backend

pytestmark = [pytest.mark.slow, pytest.mark.mindspore]
PROGRAMS = first.PROGRAMS | second.PROGRAMS | third.PROGRAMS | fourth.PROGRAMS | fifth.PROGRAMS


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_spelling(name: str) -> None:
    text, forms = PROGRAMS[name]
    try:
        # BatchNorm on the CPU differs from PyTorch's by 1e-6 in the first loss, which momentum carries on
        result = check(HEAD + text + TAIL, tolerance=5e-5)
    finally:
        _backend.stop_recording()
    assert dict(result.stats.loops) == forms
