"""Modules that look attributes up in another one, beside PyTorch's."""

from __future__ import annotations

import pytest

from tests.side_by_side import check

HEAD = """
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        nn.init.ones_(self.lin.weight)
        nn.init.zeros_(self.lin.bias)
        self.tag = "inner"

    def forward(self, x):
        return self.lin(x)


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
{method}
    def forward(self, x):
        return self.module(x) * 2


class Shadow(Wrapper):
    def __init__(self, module):
        super().__init__(module)
        self.lin = nn.Linear(2, 2)
        self.own = nn.Parameter(torch.zeros(1))
        self.register_buffer("tagged", torch.ones(2))


RESULT = []
x = torch.ones(2, 3)
for kind in (Wrapper, Shadow):
    m = kind(Inner())
    RESULT += [m.tag, list(m.lin.weight.shape), sorted(m.state_dict()), hasattr(m, "bprop"), hasattr(m, "nothing")]
    opt = torch.optim.SGD(m.module.parameters(), lr=0.1)
    for step in range(2):
        opt.zero_grad()
        loss = m(x).sum()
        loss.backward()
        opt.step()
        RESULT.append(loss.item())
    m.eval()
    RESULT += [m.training, m.module.training, m.load_state_dict(m.state_dict()).missing_keys]
"""

METHODS = {
    "after its own": """
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)
""",
    "but for one name": """
    def __getattr__(self, name):
        if name == "module":
            return super().__getattr__("module")
        return getattr(self.module, name)
""",
}


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_attributes_of_the_wrapped_module(method: str) -> None:
    check(HEAD.replace("{method}", method))


def test_a_mixin_answers_for_the_module() -> None:
    check("""
import torch
from torch import nn


class Answers:
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "extra":
                return 7
            raise


class Mixed(Answers, nn.Module):
    def __init__(self):
        super().__init__()
        self.extra_buffer = nn.Linear(2, 2)
        self.register_buffer("k", torch.zeros(2))


m = Mixed()
RESULT = [m.extra, sorted(m.state_dict()), hasattr(m, "other")]
""")
