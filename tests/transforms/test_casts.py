"""Conversions to integers end the graph, as they do in PyTorch."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from tests.tools import convert

HEAD = """
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
"""
NET = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, 1.5, -2.5]))

    def forward(self, x: torch.Tensor):
        h = x * self.w
        return {value}

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.tensor([1.0, 2.0, 3.0])
losses = []
for _ in range(2):
    optimizer.zero_grad()
    loss = (net(x) * net(x)).sum()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
RESULT = [losses, net.w]
"""
)


@pytest.mark.mindspore
@pytest.mark.parametrize(
    "value",
    [
        "h + h.long() * 2.0",
        "h * h.bool()",
        "h + torch.floor(h).int().float()",
        "h + h.to(torch.int64)",
        "h - h.type(torch.LongTensor).float()",
        "h + (h + 1).short()",
        "h * (h > 0).long()",
    ],
)
def test_the_gradient_is_cut(value: str) -> None:
    check(NET.format(value=value))


@pytest.mark.parametrize(
    "line",
    [
        "r = (x > 0).long()",
        "r = y[x.long()]",
        "i = x.long()\n    r = y[i]",
        "r = F.one_hot(x.long(), 3)",
        "r = x.argmax(1).int() + 1",
        "r = F.cross_entropy(y, x.long())",
    ],
)
def test_what_carries_no_gradient_stays(line: str) -> None:
    source = f"{HEAD}class Net(nn.Module):\n  def forward(self, x: torch.Tensor, y: torch.Tensor):\n    {line}\n    return r\n"
    assert "stop_gradient" not in convert(source).text


def test_outside_of_gradients_nothing_is_cut() -> None:
    source = f"{HEAD}x = torch.rand(3)\nr = x.long() + 1\n"
    assert "stop_gradient" not in convert(source).text
