"""Layers that are made with `inplace=flag`: only the run tells whether they write to what they are given."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check

LAYERS = """
import torch
import torch.nn as nn

class Block(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.conv = nn.Linear(3, 3)
        nn.init.eye_(self.conv.weight)
        nn.init.constant_(self.conv.bias, -0.2)
        self.act = nn.ReLU(inplace=inplace)
        self.out = nn.LeakyReLU(0.1, inplace)

    def forward(self, x):
        y = self.act(self.conv(x))
        y = y + x
        y = self.out(y - 0.5)
        return y
"""
RESULT = """
class Only(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.act(x)

x = torch.sin(torch.arange(6.0)).view(2, 3)
found = []
for flag in (True, False):
    block = Block(flag)
    loss = block(x).sum()
    loss.backward()
    found.append([loss.item(), block.conv.weight.grad, Only(flag)(x * 1)])
RESULT = found
"""
READ_AGAIN = """
class Again(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x):
        y = x * 2
        z = self.act(y)
        return y + z

RESULT = Again(False)(torch.ones(3))
"""


@pytest.mark.mindspore
def test_either_way_is_right_where_the_input_is_not_read_again() -> None:
    check(LAYERS + RESULT)


def test_an_input_that_is_read_again_is_refused() -> None:
    with pytest.raises(Refused, match="known when the program runs"):
        check(LAYERS + READ_AGAIN)
