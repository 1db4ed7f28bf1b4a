"""no_grad and its relatives: contexts, decorators, generators; plain, inside value_and_grad and beside torch."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled, value_and_grad

LIBS = [
    (no_grad, enable_grad, set_grad_enabled, inference_mode, is_grad_enabled),
    (torch.no_grad, torch.enable_grad, torch.set_grad_enabled, torch.inference_mode, torch.is_grad_enabled),
]


def trace(no, yes, switch, inference, enabled):
    """What the switch says in every place, in order."""
    seen = []
    def note():
        return seen.append(enabled())
    with no():
        note()
        with yes():
            note()
        with switch(True):
            note()
            with switch(False):
                note()
            note()
        note()
    note()
    switch(False)
    note()
    switch(True)
    note()
    with inference():
        note()
    with inference(False):
        note()

    @no()
    def plain():
        note()
        return 3

    @no
    def bare():
        note()

    @inference
    def inferred():
        note()

    @switch(False)
    def switched():
        note()

    @no()
    def numbers():
        note()
        got = yield 1
        seen.append(got)
        note()
        try:
            yield 2
        except KeyError:
            note()
            yield 3
        return 4

    assert plain() == 3
    bare(), inferred(), switched()
    note()
    generator = numbers()
    seen.append(next(generator))
    note()
    seen.append(generator.send("sent"))
    note()
    seen.append(generator.throw(KeyError("x")))
    note()
    try:
        next(generator)
    except StopIteration as stop:
        seen.append(stop.value)
    early = numbers()
    next(early)
    early.close()
    note()
    with pytest.raises(ZeroDivisionError), no():
        1 / 0
    note()
    context = no()
    for _ in range(2):
        with context:
            note()
    note()
    return seen


def test_the_switch_is_where_pytorch_has_it():
    ours, theirs = (trace(*lib) for lib in LIBS)
    assert ours == theirs


def test_names_and_classes():
    @no_grad()
    def documented():
        """Text."""

    assert documented.__name__ == "documented" and documented.__doc__ == "Text."
    with pytest.raises(TypeError, match="classes"):
        no_grad()(int)


def test_inside_a_differentiated_function():
    p = Parameter(Tensor(np.array([2.0], np.float32)), name="p")

    @no_grad()
    def constant(x):
        return x * x

    def fn():
        with set_grad_enabled(False):
            a = p * 3
        with set_grad_enabled(True):
            b = p * 5
        return (a + b + constant(p)).sum()

    assert float(value_and_grad(fn, None, (p,))()[1][0]) == 5.0


def test_writes_through_views_reach_the_base_under_no_grad_inside_a_gradient():
    p = Parameter(Tensor(np.ones(4, np.float32)), name="p")
    mask = Tensor(np.zeros((2, 2), np.float32))

    def fn():
        with no_grad():
            mask.view(-1)[0] = 7.0
        return (p * mask.view(-1)).sum()

    grad = value_and_grad(fn, None, (p,))()[1][0]
    assert float(mask[0, 0]) == 7.0 and grad.asnumpy().tolist() == [7, 0, 0, 0]
