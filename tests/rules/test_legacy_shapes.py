"""`torch.Tensor(x.shape)` has the size of a tensor, and holds the numbers of any other shape."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from tests.tools import convert

PROGRAM = """
import numpy as np
import torch
class Space:
    shape = (3, 2)
class Env:
    action_space = Space()
def entropy(env):
    return -torch.prod(torch.Tensor(env.action_space.shape)).item()
array = np.zeros((2, 5))
tensor = torch.zeros(4, 3)
signs = (-1, 1, -1)
def bits(state):
    return torch.FloatTensor(state)
RESULT = [entropy(Env()), torch.FloatTensor(array.shape), list(torch.Tensor(tensor.shape).shape), bits(signs)]
"""


def test_sizes_and_elements() -> None:
    check(PROGRAM)


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        ("env.observation_space", "mindspore.tensor(env.observation_space.shape, dtype=mindspore.float32)"),
        ("torch.zeros(3)", "mint.empty(mint.zeros(3).shape, dtype=mindspore.float32)"),
        ("env.unknown", "tensor.FloatTensor(env.unknown.shape)"),
    ],
)
def test_whose_shape_it_is(owner: str, text: str) -> None:
    assert text in convert(f"import torch\n\ndef f(env):\n    return torch.Tensor({owner}.shape)\n").text
