"""Functions that only constructors call: writes in them need no care for gradients, all others do."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.side_by_side import Refused, check, convert
from torch2ms.analysis.facts import project_facts


def found(**files: str) -> set[str]:
    project = project_facts({name: (f"{name}.py", ast.parse(dedent(text))) for name, text in files.items()})
    return {q for q, f in project.functions.items() if f.constructing and not q.endswith("__init__")}


BASE = dedent("""
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.start()
            self.apply(self.fill)

        def start(self):
            helper(self.first.weight)

        def fill(self, module):
            module.eval()

    def helper(w):
        w.data.zero_()
""")


def test_what_only_constructors_lead_to() -> None:
    assert found(m=BASE) == {"m.Net.start", "m.Net.fill", "m.helper"}


@pytest.mark.parametrize(
    "elsewhere, lost",
    [
        ("def step(net):\n    net.start()", {"m.Net.start", "m.helper"}),
        ("import m\ndef step(net):\n    m.helper(net)", {"m.helper"}),
        ("from m import helper as other", {"m.helper"}),
        ("def step(net):\n    getattr(net, 'fill')(net)", {"m.Net.fill"}),
        ("from m import helper\nkept = [helper]", {"m.helper"}),
        ("class Other:\n    def __init__(self):\n        self.run = lambda w: helper(w)\n\nfrom m import helper", {"m.helper"}),
    ],
)
def test_uses_from_elsewhere_count(elsewhere: str, lost: set[str]) -> None:
    every = {"m.Net.start", "m.Net.fill", "m.helper"}
    assert found(m=BASE, n=elsewhere) == every - lost


def test_a_method_of_an_unknown_receiver_is_no_proof() -> None:
    text = """
        class Text:
            def encode(self, x):
                return x.add_(1)

        class Data:
            def __init__(self, other):
                self.rows = other.encode(3)
    """
    assert found(m=text) == set()


def test_a_kept_method_may_run_later() -> None:
    text = """
        class Net:
            def __init__(self):
                self.run = self.late

            def late(self, x):
                return x
    """
    assert found(m=text) == set()


def test_weights_filled_before_they_are_parameters() -> None:
    check("""
import numpy as np
import torch
from torch import nn


def init_rows(w):
    w.fill_(0.25)
    w[0].mul_(3)


class Scaled(nn.Module):
    def __init__(self, n):
        super().__init__()
        w = torch.empty(n, n)
        nn.init.constant_(w, 0.5)
        self.w = nn.Parameter(w)
        table = torch.zeros(2, n)
        init_rows(table)
        self.register_buffer("table", table)
        self.reset()

    def reset(self):
        for p in self.parameters():
            p.data.mul_(2)
            p.data[0].add_(1)

    def forward(self, x):
        return x @ self.w + self.table[:1]


net = Scaled(3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))[:1]
losses = []
for _ in range(2):
    opt.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    opt.step()
    losses.append(loss.item())
RESULT = [losses, net.w, net.table]
""")


def test_a_lambda_of_a_constructor_runs_in_the_forward() -> None:
    text = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = lambda x: {}

    def forward(self, x):
        y = x * 2
        return self.act(y) + y


x = torch.ones(2, requires_grad=True)
Net()(x).sum().backward()
RESULT = [x.grad]
"""
    check(text.replace("{}", "x.mul(3)"))
    with pytest.raises(Refused):
        convert(text.replace("{}", "x.mul_(3)"))
