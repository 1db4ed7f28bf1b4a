"""A loss that is an attribute of the model's output: `out.loss.backward()`."""

from __future__ import annotations

import pytest

from tests.side_by_side import check

PROGRAM = """
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Output:
    logits: torch.Tensor
    loss: torch.Tensor


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x):
        h = self.layer(x)
        return Output(h, h.pow(2).mean())


net = Model()
with torch.no_grad():
    for p in net.parameters():
        p.fill_(0.5)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
kept, losses = [], []
for i in range(3):
    out = net(torch.ones(3, 2) * (i + 1))
    optimizer.zero_grad()
    out.loss.backward()
    optimizer.step()
    kept.append(out)
    losses.append(out.loss.item())
for i in range(2):
    last = net(torch.ones(3, 2) * (i + 1))
    optimizer.zero_grad()
    last.loss.backward()
    optimizer.step()
    losses.append(last.loss.item())
RESULT = [losses, [k.loss for k in kept], [k.logits for k in kept], net.layer.weight]
"""


@pytest.mark.mindspore
def test_each_output_keeps_its_own_loss() -> None:
    assert "(_, out), grads = " in check(PROGRAM).text
