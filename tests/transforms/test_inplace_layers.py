"""Layers whose class is passed around and that are told to work in place."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from torch2ms.convert import convert_source

BLOCK = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, act_layer=nn.{layer}, norm_layer=nn.BatchNorm1d, **dd):
        super().__init__()
        self.fc = nn.Linear(4, 4, **dd)
        self.norm = norm_layer(4, device="cpu")
        self.act = act_layer(inplace=True)

    def forward(self, x):
        {body}

torch.manual_seed(0)
block = Block(device="cpu").eval()
RESULT = block(torch.linspace(-1, 1, 8).view(2, 4))
"""


def _convert(body: str, layer: str = "ReLU") -> tuple[str, list[str]]:
    result = convert_source(BLOCK.replace("{layer}", layer).replace("{body}", body), path="a.py")
    return result.text, [d.code for d in result.diagnostics]


@pytest.mark.parametrize("layer", ["ReLU", "LeakyReLU", "CELU", "SiLU", "Dropout"])
def test_the_layer_takes_the_argument_and_its_result_is_equal(layer: str) -> None:
    check(BLOCK.replace("{layer}", layer).replace("{body}", "x = self.act(x); return self.act(self.norm(self.fc(x)))"))


def test_an_input_that_is_read_later_is_refused() -> None:
    text, codes = _convert("y = self.act(x); return x + y")
    assert codes == ["T2M301"] and 'unsupported("' in text and "self.act was made" not in text
    assert _convert("x = self.act(x); return x")[1] == []


def test_detaching_parameters_freezes_them() -> None:
    check("""
import copy
import torch
from torch import nn
net = nn.Linear(2, 1)
mean = copy.deepcopy(net)
for param in mean.parameters():
    param.detach_()
net.bias.detach_()
RESULT = [[p.requires_grad for p in mean.parameters()], [p.requires_grad for p in net.parameters()]]
""")


CARRIED = """
import torch
from torch import nn

class Carry(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, 2.0]))
        self.register_buffer("state", torch.ones(2))

    def forward(self, x):
        self.state = self.state * self.w + x
        return self.state.sum()

def train(net: Carry, cut):
    optimizer, losses = torch.optim.SGD(net.parameters(), lr=0.1), []
    for i in range(4):
        {cut}
        loss = net(torch.tensor([0.1 * i, 1.0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses

net = Carry()
RESULT = [train(net, True), net.w.detach(), net.state.detach()]
"""


@pytest.mark.mindspore
@pytest.mark.parametrize("cut", ["net.state.detach_()", "net.state = net.state.detach()"])
def test_a_buffer_that_carries_a_graph_is_cut(cut: str) -> None:
    text = check(CARRIED.format(cut=cut)).text
    assert "net.state = ops.stop_gradient(net.state)" in text
