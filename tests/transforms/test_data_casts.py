"""Weights that are cast through `.data` have the new type, and sizes put together are sizes."""

from __future__ import annotations

import pytest

from tests.side_by_side import check


def test_a_model_cast_layer_by_layer() -> None:
    check("""
import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 1)
        self.head = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.head(self.conv(x).mean((2, 3)).to(self.head.weight.dtype)) * self.scale


def convert_weights(model):
    def convert(layer):
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            layer.weight.data = layer.weight.data.double()
            if layer.bias is not None:
                layer.bias.data = layer.bias.data.to(torch.float64)

    model.apply(convert)


net = Net()
before = [str(p.dtype).split(".")[-1].lower() for p in net.parameters()]
convert_weights(net)
after = [str(p.dtype).split(".")[-1].lower() for p in net.parameters()]
net.head.weight.data = torch.from_numpy(np.eye(2)).double()
net.head.bias.data = net.head.bias.data.float().double() * 0
y = net.head(torch.ones(1, 2, dtype=torch.float64))
y.sum().backward()
RESULT = [before, after, y, net.head.weight.grad]
""")


@pytest.mark.parametrize("shape", ["x.size() + (n,)", "x.shape[:1] + (n, n)", "(n,) + x.size()", "x.size()[:1] * 3", "s + (n,)"])
def test_sizes_put_together(shape: str) -> None:
    check("""
import torch

x, n = torch.zeros(2, 3), 4
s = x.size()
a = torch.FloatTensor(SHAPE).zero_()
b = x.new(SHAPE).fill_(2)
RESULT = [a, b, torch.zeros(SHAPE)]
""".replace("SHAPE", shape))
