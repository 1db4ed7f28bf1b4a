"""`super().to(device)` in an overriding method gives back the object itself."""

from __future__ import annotations

import pytest

from tests.side_by_side import check
from tests.tools import convert

PROGRAM = """
import torch
import torch.nn as nn
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        nn.init.ones_(self.fc.weight); nn.init.zeros_(self.fc.bias)
        self.scale = torch.tensor(3.)
    def to(self, device):
        self.scale = self.scale.to(device)
        return super(Policy, self).to(device)
    def cpu(policy):
        super().cpu()
        return policy
    def forward(self, x):
        return self.fc(x) * self.scale
class Open(Policy):
    def to(self, *args, **kwargs):
        self = super().to(*args, **kwargs)
        self.scale = self.scale * 2
        return self
x = torch.ones(1, 2)
policy = Policy().to("cpu").cpu()
RESULT = [type(policy).__name__, policy(x), Open().to(torch.device("cpu"))(x)]
"""


def test_the_object_comes_back() -> None:
    check(PROGRAM)


@pytest.mark.parametrize(("line", "left"), [("return super().cuda()", "return net"), ("x = super().cpu()", "x = net")])
def test_own_name(line: str, left: str) -> None:
    text = f"import torch.nn as nn\n\nclass A(nn.Module):\n    def cuda(net, device=None):\n        {line}\n"
    assert left in convert(text).text
