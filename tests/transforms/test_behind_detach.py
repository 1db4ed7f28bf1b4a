"""Writes through `x.detach()` and `x.data` reach the tensor; a changed shape of theirs does not."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check

FILLED = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.out = nn.Linear(2, 2)
        self.fc.weight.detach().fill_(.5)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                m.bias.detach().zero_()
                m.bias.detach().add_(1).mul_(.25)
        self.out.weight.detach().copy_(torch.ones(2, 2))
    def forward(self, x):
        return self.out(self.fc(x))
net = Net()
loss = net(torch.ones(4, 3)).sum()
loss.backward()
RESULT = [loss.item(), *net.parameters(), *[p.grad for p in net.parameters()]]
"""

PLAIN = """
import torch
x = torch.sin(torch.arange(6.)).view(2, 3)
kept = x
x.detach().clamp_(min=0)
first = x.clone()
y = x.detach().add_(1)
RESULT = [first, x, kept, y, x.detach().mul_(2).sub_(1).sum().item(), x]
"""

SHAPES = """
import torch
x = torch.sin(torch.arange(3.))
y = x.detach().unsqueeze_(0)
z = x.data.unsqueeze_(1)
RESULT = [x, y, z, list(x.shape)]
"""


@pytest.mark.parametrize("program", [FILLED, PLAIN, SHAPES])
def test_what_is_behind_is_written(program: str) -> None:
    check(program)


@pytest.mark.parametrize("call", ["x.data.unsqueeze_(0)", "x.detach().squeeze_()"])
def test_another_object_than_the_tensor(call: str) -> None:
    with pytest.raises(Refused, match="is another object than the tensor itself"):
        check(f"import torch\nx = torch.zeros(3)\n{call}\nRESULT = x\n")


def test_no_write_into_a_graph() -> None:
    program = """
import torch
w = torch.ones(3, requires_grad=True)
def denoise(w):
    y = w * 2
    y.detach().clamp_(0., 1.)
    return y.sum()
denoise(w).backward()
RESULT = w.grad
"""
    with pytest.raises(Refused, match="is written inside a gradient"):
        check(program)
