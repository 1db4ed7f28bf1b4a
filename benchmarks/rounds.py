"""CPU time of functions against each other on a busy machine: many short rounds, each with every function in turn.

What else runs slows the functions of a round alike, so the ratio is taken in each round and the median of the ratios
is what is reported. The time is that of the process with all its threads: a function ends by reading a result, or its
work would be counted for the next.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

WARM_UP = 8


class Rounds:
    """Measures each function in `rounds` rounds of `calls` calls, in an order that changes from round to round."""

    def __init__(self, functions: dict[str, Callable[[], object]], rounds: int, calls: int = 3) -> None:
        self.times: dict[str, list[float]] = {name: [] for name in functions}
        for function in functions.values():
            _time(function, WARM_UP)
        order = list(functions)
        shuffled = random.Random(0)
        for _ in range(rounds):
            shuffled.shuffle(order)
            for name in order:
                self.times[name].append(_time(functions[name], calls))

    def median(self, name: str) -> float:
        """Milliseconds of a call."""
        return statistics.median(self.times[name]) * 1e3

    def ratio(self, name: str, reference: str) -> float:
        """The median over the rounds of the time of one function over that of another."""
        return statistics.median(a / b for a, b in zip(self.times[name], self.times[reference]))


def _time(function: Callable[[], object], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        function()
    return (time.process_time() - start) / calls
