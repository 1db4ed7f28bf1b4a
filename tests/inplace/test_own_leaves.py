"""Writes to tensors that ask for a gradient of their own, as attacks, style transfer and updates by hand make them."""

from __future__ import annotations

import pytest

from tests.inplace.judge import Verdict, judge
from tests.inplace.test_minimal import trained
from tests.side_by_side import check

PROGRAM = """
import torch


def attack(x):
    d = torch.zeros_like(x, requires_grad=True)
    optimizer = torch.optim.Adam([d], lr=0.05)
    losses = []
    for _ in range(4):
        loss = (x + d).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        d.data.clamp_(-0.1, 0.1)
        losses.append(loss.item())
    return d.detach(), losses


def style(content):
    image = content.clone()
    image.requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.05)
    losses = []
    for _ in range(4):
        with torch.no_grad():
            image.clamp_(0, 1)
        optimizer.zero_grad()
        loss = (image - 2).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        image.clamp_(0, 1)
        image[0] = 7
    return image, losses


def by_hand(x):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    losses = []
    for _ in range(3):
        loss = (x * w).sum().pow(2)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.clamp_(-2, 2)
        w.grad.zero_()
    return w, losses


x = torch.tensor([0.5, -1.0, 1.5])
RESULT = [attack(x), style(x), by_hand(x), x]
"""


@pytest.mark.mindspore
def test_the_leaf_is_assigned() -> None:
    found = check(PROGRAM)
    assert "ops.assign(d, d.clamp(-0.1, 0.1))" in found.text
    assert found.text.count("ops.assign(image, image.clamp(0, 1))") == 2
    assert "ops.assign(w, w.clamp(-2, 2))" in found.text


STATE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def load(self, t):
        state = self.lin.state_dict()

        def put(name):
            state[f"{name}"].copy_(t)

        state["bias"].copy_(t[0])
        state["bias"] += 1
        self.lin.state_dict()["bias"].mul_(2)
        put("weight")
        for name, value in self.lin.state_dict().items():
            value.mul_(3)
            value.copy_(value + 1)
        for value in self.state_dict().values():
            value -= 1

    def forward(self, x):
        return self.lin(x)


net = Net()
net.load(torch.ones(2, 2) * 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
losses = []
for x in torch.ones(2, 3, 2):
    opt.zero_grad()
    loss = net(x).sum()
    loss.backward()
    opt.step()
    losses.append(loss.item())
RESULT = [losses, net.lin.weight, net.lin.bias]
"""


@pytest.mark.mindspore
def test_what_a_state_dict_holds_is_assigned() -> None:
    assert check(STATE).text.count("ops.assign(") == 7


BUFFERS = {
    "held": "old = self.r\nself.r.mul_(0.9).add_(x * 0.1)\nv = h * old",
    "held and filled": "old = self.r\nself.r.copy_(x)\nv = h + old",
    "a part is held": "old = self.r[0]\nself.r.mul_(0.5)\nv = h * old",
    "held, by a number": "old = self.r\nself.r *= 0.9\nv = h * old",
    "held, an item": "old = self.r\nself.r[0] = 3\nv = h * old",
    "held, under no_grad": "old = self.r\nwith torch.no_grad():\n    self.r.mul_(0.9).add_(x * 0.1)\nv = h * old",
    "through the holder": "old = self.r\nold.mul_(0.9)\nv = h * self.r",
}


def _buffered(body: str) -> str:
    """The program with a buffer `r` that the last line shows."""
    text = trained(body).replace("        self.w = ", "        self.register_buffer('r', torch.ones(3, 4))\n        self.w = ", 1)
    return text.replace("net.w, x]", "net.w, x, net.r]")


@pytest.mark.mindspore
@pytest.mark.parametrize("body", BUFFERS.values(), ids=BUFFERS.keys())
def test_who_holds_a_buffer_sees_what_is_written(body: str) -> None:
    outcome = judge(_buffered(body))
    assert outcome.verdict in (Verdict.EQUAL, Verdict.REFUSED), outcome.detail


@pytest.mark.mindspore
def test_a_buffer_that_nobody_holds_is_written() -> None:
    assert judge(_buffered("v = h * 2\nself.r.mul_(0.9).add_(x * 0.1)")).verdict is Verdict.EQUAL
