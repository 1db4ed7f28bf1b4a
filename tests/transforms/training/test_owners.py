"""Whose parameters an optimizer or a set of parameters holds."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torch2ms.analysis.facts import facts_for
from torch2ms.source import SourceFile
from torch2ms.transforms.training.owners import Owners

HEAD = "import itertools\nimport torch\nfrom torch import nn, optim\n"

CASES = [
    ("def f(m: nn.Linear):\n    opt = optim.SGD(m.parameters(), lr=1)\n    opt.step()", {"m"}, True),
    ("def f(m: nn.Linear):\n    opt = optim.SGD(params=list(m.parameters()), lr=1)\n    opt.step()", {"m"}, True),
    (
        "def f(a: nn.Linear, b: nn.Linear):\n    opt = optim.SGD(itertools.chain(a.parameters(), b.parameters()))\n    opt.step()",
        {"a", "b"},
        True,
    ),
    ("def f(m: nn.Linear):\n    ps = list(m.parameters())\n    opt = optim.SGD(ps, lr=1)\n    opt.step()", {"m"}, True),
    (
        "def f(m: nn.Linear):\n    opt = optim.SGD([p for p in m.parameters() if p.ndim > 1], lr=1)\n    opt.step()",
        {"m"},
        False,
    ),
    (
        "def f(m: nn.Linear):\n    opt = optim.SGD([{'params': m.parameters()}, {'params': m.bias}], lr=1)\n    opt.step()",
        {"m", "m.bias"},
        True,
    ),
    (
        "def g(net: nn.Linear):\n    o = optim.SGD(net.parameters(), lr=1)\n    f(net, o)\n\ndef f(m, opt):\n    opt.step()",
        {"m"},
        True,
    ),
    ("def g(m: nn.Linear):\n    return optim.SGD(m.parameters(), lr=1)\n\ndef f(opt):\n    opt.step()", None, None),
    (
        "class T:\n    def __init__(self, net: nn.Linear):\n        self.net = net\n        self.o = optim.SGD(net.parameters(), lr=1)\n\n"
        "    def f(self):\n        opt = self.o\n        self.o.step()",
        {"self.net"},
        True,
    ),
    (
        "class T:\n    def __init__(self, net: nn.Linear):\n        self.o = optim.SGD(net.parameters(), lr=1)\n\n    def f(self):\n        self.o.step()",
        None,
        None,
    ),
]


@pytest.mark.parametrize(("source", "roots", "whole"), CASES)
def test_optimizer(source: str, roots: set[str] | None, whole: bool | None) -> None:
    text = HEAD + textwrap.dedent(source) + "\n"
    tree = ast.parse(text)
    facts = facts_for(SourceFile("m.py", text), tree)
    calls = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "step"
    ]
    found = Owners(facts).optimizer(calls[-1].func.value)
    assert (found.roots if found else None) == roots
    assert (found.whole if found else None) == whole
