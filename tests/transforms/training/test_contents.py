"""What gradients are made of when an optimizer steps."""

from __future__ import annotations

import ast
import textwrap

import pytest

from torch2ms.analysis.facts import facts_for
from torch2ms.source import SourceFile
from torch2ms.transforms.training.events import Act, find_events
from torch2ms.transforms.training.gradients import Gradients
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.tree import Layout

HEAD = "import torch\nfrom torch import nn\n"


def contents(source: str, clean: bool = False) -> set[tuple[int, ...]]:
    """The contents before the last step of the one optimizer; backwards are numbered as events."""
    text = HEAD + textwrap.dedent(source)
    tree = ast.parse(text)
    facts = facts_for(SourceFile("m.py", text), tree)
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    layout = Layout(function)
    events = find_events(facts, layout)
    gradients = Gradients(facts, layout, events, Owners(facts), clean)
    (pool,) = gradients.pools
    names = {i: n for n, i in enumerate(j for j, e in enumerate(events) if e.act is Act.BACKWARD)}
    found = pool.contents.before[pool.steps[-1]]
    return {tuple(names.get(i, i) for i in content) for content in found}


def test_zero_before_backward() -> None:
    assert contents("""
        def train(net: nn.Linear, opt: torch.optim.SGD, batches):
            for x in batches:
                opt.zero_grad()
                net(x).mean().backward()
                opt.step()
        """) == {(0,)}


def test_zero_of_the_module() -> None:
    assert contents("""
        def train(net: nn.Linear, batches):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x in batches:
                net.zero_grad()
                net(x).mean().backward()
                opt.step()
        """) == {(0,)}


def test_zeros_that_cover_together() -> None:
    assert contents("""
        def train(a: nn.Linear, b: nn.Linear, batches):
            opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
            for x in batches:
                a.zero_grad()
                b.zero_grad()
                b(a(x)).mean().backward()
                opt.step()
        """) == {(0,)}


def test_two_backwards() -> None:
    assert contents("""
        def train(net: nn.Linear, opt: torch.optim.SGD, batches):
            for x in batches:
                opt.zero_grad()
                net(x).mean().backward()
                net(-x).mean().backward()
                opt.step()
        """) == {(0, 1)}


@pytest.mark.parametrize("clean", [True, False])
def test_without_zero_the_entry_counts(clean: bool) -> None:
    found = contents(
        """
        def step(net: nn.Linear, opt: torch.optim.SGD, x):
            net(x).mean().backward()
            opt.step()
        """,
        clean,
    )
    assert found == ({(0,)} if clean else {(-1, 0)})


def test_a_step_that_may_come_first() -> None:
    assert () in contents("""
        def train(net: nn.Linear, opt: torch.optim.SGD, batches):
            opt.zero_grad()
            for x in batches:
                net(x).mean().backward()
            opt.step()
        """)


def test_many_backwards_in_a_row() -> None:
    found = contents("""
        def train(net: nn.Linear, opt: torch.optim.SGD, x):
            opt.zero_grad()
            net(x[0]).mean().backward()
            net(x[1]).mean().backward()
            net(x[2]).mean().backward()
            net(x[3]).mean().backward()
            net(x[4]).mean().backward()
            net(x[5]).mean().backward()
            opt.step()
    """)
    (content,) = found
    assert {0, 1, 2, 3, 4, 5} <= set(content)
