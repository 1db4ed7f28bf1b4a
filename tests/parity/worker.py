"""A process that runs subjects: a job is a line of JSON on stdin, its answers are lines on stdout.

It says which case it is at before it runs it, so that a crash of MindSpore is attributed.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import mindspore

from tests.parity.calls import Case, Subject, cases, subjects
from tests.parity.judge import Class, judge
from tests.parity.program import Pair, pairs
from tests.parity.rows import Row


def run(
    subject: Subject,
    dtype: str,
    count: int | None = None,
    jit: bool = False,
    start: int = 0,
    at: Callable[[int], object] = lambda number: None,
) -> Row:
    """Judge the cases of a subject from the one numbered `start` on; `at` hears of each before it runs."""
    row = Row(subject.entry, subject.form, subject.api, dtype)
    began = time.perf_counter()
    spelled: list[Case] = []
    for case in cases(subject, dtype, count):
        if isinstance(case, Case):
            spelled.append(case)
        elif not start:
            row.unspelled += 1
            row.note("unspelled", str(case), "")
    # a write inside a gradient converts otherwise than one that no gradient sees: tests/inplace has programs for that
    differentiable = getattr(subject.source, "supports_autograd", True) and subject.form != "in-place"
    compilable = None
    for number, pair in enumerate(pairs(spelled)):
        if number < start:
            continue
        at(number)
        if _counted(row, pair, differentiable) is Class.EQUAL and compilable is None:
            compilable = pair
    if jit and compilable is not None:
        at(len(spelled))
        _compiled(row, compilable, differentiable)
    row.seconds = round(time.perf_counter() - began, 2)
    return row


def _counted(row: Row, pair: Pair, differentiable: bool) -> Class | None:
    verdict = judge(pair, differentiable)
    if verdict is None:
        return None
    kind = verdict.kind.value
    setattr(row, kind, getattr(row, kind) + 1)
    row.at_run_time += verdict.reason.startswith("at run time")
    if verdict.reason:
        row.note(kind, verdict.reason, f"{shown(pair)}")
    return verdict.kind


def _compiled(row: Row, pair: Pair, differentiable: bool) -> None:
    verdict = judge(pair, differentiable, jit=True)
    if verdict is not None:
        row.jit = verdict.kind.value
        if verdict.reason:
            row.note("jit", verdict.reason, shown(pair))


def shown(pair: Pair) -> str:
    """The call before and after, and what its tensors are."""
    values = ", ".join(f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in pair.case.tensors)
    made = pair.case.make.partition("\n")[0]
    return " ".join(f"{made} {pair.case.call} <- {values} => {pair.converted.partition(':' + chr(10))[2]}".split())[
        :500
    ]


def main() -> None:
    """Serve jobs until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # MindSpore prints, and what it prints is no answer
    warnings.simplefilter("ignore")
    mindspore.runtime.launch_blocking()
    every = {(s.entry, s.form, s.api): s for s in subjects()}

    def say(value: Any) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    for line in sys.stdin:
        job = json.loads(line)
        subject = every[tuple(job["subject"])]
        row = run(subject, job["dtype"], job["count"], job["jit"], job["start"], lambda number: say({"at": number}))
        say({"row": row.to_json()})


if __name__ == "__main__":
    main()
