"""Runs programs of a sweep one after the other and reports each on a line of standard output.

    python -m tests.inplace.worker SEED FIRST LAST

A line `> NUMBER` before a program tells which one to blame when the process dies.
"""

from __future__ import annotations

import json
import random
import sys

from tests.inplace.judge import Verdict, judge
from tests.inplace.programs import Program, program

_ATTEMPTS = 200  # PyTorch refuses most writes into what `unbind` and `split` give, where gradients run


def drawn(seed: int, number: int, attempt: int = 0) -> Program:
    """The program of a number: the same in every process."""
    return program(random.Random(f"{seed}/{number}/{attempt}"), number)


def run(seed: int, number: int, always: bool = False) -> dict[str, object]:
    """Judges one program; what PyTorch itself refuses is drawn again. `always` reports texts that are right, too."""
    for attempt in range(_ATTEMPTS):
        made = drawn(seed, number, attempt)
        outcome = judge(made.text)
        if outcome.verdict is not Verdict.INVALID:
            break
    return {
        "number": number,
        "attempt": attempt,
        "verdict": outcome.verdict.name,
        "detail": outcome.detail,
        "cells": made.cells,
        "text": made.text if always or outcome.is_fault or outcome.verdict is Verdict.REFUSED else "",
        "converted": outcome.converted if always or outcome.is_fault else "",
    }


def main(seed: int, first: int, last: int) -> None:
    """Judges the programs first to last - 1."""
    for number in range(first, last):
        print(f"> {number}", flush=True)
        print(json.dumps(run(seed, number)), flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:4]))
