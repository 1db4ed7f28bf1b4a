"""A copy of a Parameter passes gradients on: what makes one of a single or an empty operand lost them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import _backend, mint, tape, value_and_grad

pytestmark = pytest.mark.mindspore

CALLS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]] = {
    "cat": (lambda x: torch.cat([x]), lambda x: mint.cat([x]), [1.0, 2.0]),
    "amax": (lambda x: torch.amax(x), lambda x: mint.amax(x), 2.0),
    "cumsum": (lambda x: torch.cumsum(x, 0), lambda x: mint.cumsum(x, 0), 2.0),
    "flip": (lambda x: torch.flip(x, ()), lambda x: mint.flip(x, ()), [1.0, 2.0]),
    "sort": (lambda x: torch.sort(x)[0], lambda x: mint.sort(x)[0], 2.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_gradient_of_a_parameter(name: str) -> None:
    theirs, ours, numbers = CALLS[name]
    t = torch.tensor(numbers, requires_grad=True)
    (theirs(t) ** 2).sum().backward()
    p = Parameter(Tensor(numbers, mindspore.float32), name="p")
    (grad,) = value_and_grad(lambda: (ours(p) ** 2).sum(), None, [p])()[1]
    np.testing.assert_array_equal(grad.asnumpy(), t.grad.numpy())
    assert isinstance(p.copy(), Tensor) and not np.shares_memory(p.copy().asnumpy(), p.asnumpy())


def test_on_the_tape() -> None:
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    tape.start()
    try:
        tape.backward((mint.cat([p]) ** 2).sum())
        np.testing.assert_array_equal(p.grad.asnumpy(), [2.0, 4.0])
    finally:
        _backend.stop_recording()
