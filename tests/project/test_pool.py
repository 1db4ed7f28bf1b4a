"""The pool: all answers come, a dead worker costs one item, errors of workers reach the caller."""

from __future__ import annotations

import os
import sys
import time

import pytest

from torch2ms.project.pool import WorkerDied, run, with_deep_stack

_offset = 0


def setup(offset: int) -> None:
    global _offset
    _offset = offset


def answer(item: int) -> int:
    if item < 0:
        os._exit(1)
    if item == 99:
        time.sleep(0.05)
    return item + _offset


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_every_item_is_answered_once(jobs):
    items = list(range(25))
    assert dict(run(answer, items, jobs, setup, (100,))) == {i: i + 100 for i in items}


@pytest.mark.parametrize("items", [[1, -1, 2, 3, 99, 4, 5], [-1, -2, 3, 4], [3, 4, 5, -1]])
def test_a_dead_worker_costs_its_own_item(items):
    answers = list(run(answer, items, 2, setup, (0,)))
    assert sorted(index for index, _ in answers) == list(range(len(items)))
    for index, found in answers:
        assert isinstance(found, WorkerDied) if items[index] < 0 else found == items[index]


def test_errors_are_raised():
    with pytest.raises(TypeError):
        list(run(answer, [1, "x", 2], 2, setup, (0,)))  # type: ignore[list-item]


def test_leaving_early_ends_the_workers():
    answers = run(answer, [99] * 50, 2, setup, (0,))
    next(answers)
    answers.close()


def test_deep_stack():
    def depth(n: int) -> int:
        return 0 if n == 0 else 1 + depth(n - 1)

    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        depth(20_000)
    assert with_deep_stack(lambda: depth(20_000)) == 20_000
    assert sys.getrecursionlimit() == limit
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: 1 // 0)
