"""Layers that work in place and stand in a container: who keeps what they are given sees it changed."""

from __future__ import annotations

import pytest

from tests.side_by_side import Refused, check, convert

HEAD = """
import numpy as np, torch
from torch import nn
rng = np.random.RandomState(0)

def settle(module):
    for p in module.parameters():
        p.data.copy_(torch.from_numpy(rng.randn(*p.shape).astype("float32")))
    return module

def layers():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4))

x = torch.from_numpy(rng.randn(3, 4).astype("float32"))
"""
BLOCK = """
class Block(nn.Module):
    def __init__(self, deep=True):
        super().__init__()
        {init}

    def forward(self, x):
        {forward}

RESULT = settle(Block())(x * 1)
"""
READ_LATER = {
    "beside": ("self.model = nn.Sequential(nn.LeakyReLU(0.2, True), nn.Linear(4, 4))", "return torch.cat([x, self.model(x)], 1)"),
    "after": ("self.model = nn.Sequential(nn.LeakyReLU(0.2, True), nn.Linear(4, 4))", "y = x * 2; z = self.model(y); return y + z"),
    "list": (
        "steps = [nn.LeakyReLU(0.2, True)]; steps += [nn.Linear(4, 4)]; self.model = nn.Sequential(*steps)",
        "return x + self.model(x)",
    ),
    "appended": (
        "steps = []; steps.append(nn.LeakyReLU(0.2, True)); steps.append(nn.Linear(4, 4)); self.model = nn.Sequential(*steps)",
        "return x + self.model(x)",
    ),
    "joined": (
        "down = [nn.LeakyReLU(0.2, True)]; up = [nn.Linear(4, 4)] if deep else []; self.model = nn.Sequential(*(down + up))",
        "return x + self.model(x)",
    ),
    "one_of_two": (
        "self.model = nn.Sequential(nn.ReLU(True), nn.Linear(4, 4)) if deep else nn.Sequential(nn.Linear(4, 4))",
        "return x + self.model(x)",
    ),
}
WALKS = {
    "sequential": "for layer in net:\n        h = layer(h)\n        kept.append(h)",
    "children": "for layer in net.children():\n        h = layer(h)\n        kept.append(h)",
    "modules": "for name, layer in net._modules.items():\n        h = layer(h)\n        if name != '1':\n            kept.append(h)",
    "numbered": "for i, layer in enumerate(net):\n        kept.append(h)\n        h = layer(h)",
    "named": "seen = {}\n    for name, layer in net.named_children():\n        h = layer(h)\n        seen[name] = h\n    kept = list(seen.values())",
}
WALK = """
net = settle({net})
def features(h):
    kept = []
    {walk}
    return [h, *kept]
RESULT = features(x * 1)
"""
VISION = """
import torchvision
class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.vgg = torchvision.models.vgg11().features
    def forward(self, x):
        kept = []
        for name, layer in self.vgg._modules.items():
            x = layer(x)
            kept.append(x)
        return kept
"""


@pytest.mark.parametrize("name", READ_LATER)
def test_a_sequential_that_starts_in_place(name: str) -> None:
    init, forward = READ_LATER[name]
    with pytest.raises(Refused, match="known when the program runs"):
        check(HEAD + BLOCK.format(init=init, forward=forward))


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_that_keeps_what_it_meets(name: str) -> None:
    with pytest.raises(Refused, match="known when the program runs|share the storage"):
        check(HEAD + WALK.format(net="layers()", walk=WALKS[name]))


def test_a_walk_over_a_model_of_torchvision() -> None:
    """The runtime's models write as torchvision's do: tests/runtime/vision/test_kept_features.py."""
    text = convert(HEAD + VISION).text
    assert "            x = layer(x)\n            kept.append(x)\n" in text


@pytest.mark.mindspore
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_over_layers_that_leave_their_input_alone(name: str) -> None:
    check(HEAD + WALK.format(net="nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))", walk=WALKS[name]))


@pytest.mark.mindspore
def test_nobody_reads_what_is_written() -> None:
    init, forward = READ_LATER["list"][0], "y = x * 2; y = self.model(y); return y"
    check(HEAD + BLOCK.format(init=init, forward=forward))
    check(HEAD + WALK.format(net="layers()", walk="for layer in net:\n        h = layer(h)"))
    check(HEAD + WALK.format(net="layers()", walk="for layer in net:\n        h = layer(h.clone())\n        kept.append(h)"))
