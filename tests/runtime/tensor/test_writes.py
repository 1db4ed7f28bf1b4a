"""Index writes of values that have more dimensions than the place, beside PyTorch's."""
from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch

from torch2ms.runtime import mint, value_and_grad

WRITES = {
    "row": ("x[1] = v", (1, 3)),
    "row of two ones": ("x[1] = v", (1, 1, 3)),
    "slice": ("x[:, 1:] = v", (1, 1, 2)),
    "number": ("x[0, 1] = v", (1,)),
    "number of two ones": ("x[0, 1] = v", (1, 1)),
    "last": ("x[..., 0] = v", (1, 2)),
    "whole": ("x[:] = v", (1, 2, 3)),
    "added": ("x[1] += v[0]", (1, 3)),
    "fits": ("x[1:] = v", (1, 3)),
}


def _written(library: Any, x: Any, v: Any, statement: str) -> Any:
    exec(statement, {"x": x, "v": v})
    return x


@pytest.mark.parametrize("name", WRITES)
def test_values_and_gradients(name: str) -> None:
    statement, shape = WRITES[name]
    values = np.arange(1, np.prod(shape) + 1, dtype=np.float32).reshape(shape)
    theirs = torch.tensor(values, requires_grad=True)
    expected = _written(torch, torch.zeros(2, 3), theirs, statement)
    (expected**2).sum().backward()

    def loss(v: Any) -> Any:
        return (_written(mint, mint.zeros((2, 3)), v, statement) ** 2).sum()

    ours = mindspore.tensor(values)
    assert _written(mint, mint.zeros((2, 3)), ours, statement).asnumpy().tolist() == expected.tolist()
    assert value_and_grad(loss, 0)(ours)[1].asnumpy().tolist() == theirs.grad.tolist()


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(RuntimeError):
        torch.zeros(2, 3)[1] = torch.ones(2, 3)
    x = mint.zeros((2, 3))
    with pytest.raises((RuntimeError, ValueError)):
        x[1] = mint.ones((2, 3))
