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


# groups picked by name; whether they are all parameters of the model
BY_NAME = [
    ("p for n, p in m.named_parameters() if 'bias' in n", "p for n, p in m.named_parameters() if 'bias' not in n", True),
    ("p for k, p in m.named_parameters() if not k.endswith('w')", "q for n, q in m.named_parameters() if n.endswith('w')", True),
    (
        "p for n, p in m.named_parameters() if any(d in n for d in SKIP)",
        "p for n, p in m.named_parameters() if not any(d in n for d in SKIP)",
        True,
    ),
    ("p for n, p in m.named_parameters() if 'bias' in n", "p for n, p in m.named_parameters() if 'bias' in n", False),
    ("p for n, p in m.named_parameters() if 'bias' in n", "p for n, p in m.named_parameters() if 'norm' not in n", False),
    ("p for n, p in m.named_parameters() if p.ndim > 1", "p for n, p in m.named_parameters() if not p.ndim > 1", False),
    ("p for n, p in m.named_parameters() if test(n)", "p for n, p in m.named_parameters() if not test(n)", False),
    (
        "p for n, p in m.named_parameters() if any(d in n for d in ONCE)",
        "p for n, p in m.named_parameters() if not any(d in n for d in ONCE)",
        False,
    ),
    ("p for n, p in m.named_parameters() if n in SEEN.pop()", "p for n, p in m.named_parameters() if n not in SEEN.pop()", False),
    ("*m.enc.parameters()", "p for n, p in m.named_parameters() if not n.startswith('enc.')", True),
    ("*m.enc.parameters()", "p for n, p in m.named_parameters() if not n.startswith('enc')", True),
    ("*m.enc.parameters()", "p for n, p in m.named_parameters() if not n.startswith('head')", False),
    ("*m.head.parameters()", "p for n, p in m.named_parameters() if not n.startswith('head')", False),
    ("*m.head.parameters()", "p for n, p in m.named_parameters() if not n.startswith('head.')", True),
]
MODEL = """
SKIP = ["bias", "norm"]
ONCE = iter(SKIP)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(2, 2)
        self.head = nn.Linear(2, 2)
        self.head2 = nn.Linear(2, 2)

m = Net()
"""


@pytest.mark.parametrize(("first", "second", "whole"), BY_NAME)
def test_groups_that_leave_nothing_out_are_the_whole_model(first: str, second: str, whole: bool) -> None:
    groups = [f"{{'params': {g[1:] if g[0] == '*' else f'[{g}]'}}}" for g in (first, second)]
    text = HEAD + MODEL + f"opt = optim.SGD([{groups[0]}, {groups[1]}], lr=1)\nopt.step()\n"
    tree = ast.parse(text)
    stepped = tree.body[-1]
    assert isinstance(stepped, ast.Expr) and isinstance(stepped.value, ast.Call)
    assert isinstance(stepped.value.func, ast.Attribute)
    found = Owners(facts_for(SourceFile("m.py", text), tree)).optimizer(stepped.value.func.value)
    assert found is not None
    assert "m" in found.roots
    assert found.whole == whole
