"""The random training program of a seed."""

from __future__ import annotations

from tests.transforms.training.loops.pairs import Pair
from tests.transforms.training.loops.single import Single
from tests.transforms.training.loops.spread import Spread


def make(seed: int) -> str:
    """The text of a program that trains and leaves losses, weights and statistics in RESULT."""
    return (Single, Pair, Spread)[seed % 3](seed).program()
