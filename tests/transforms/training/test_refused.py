"""Steps that take no form: on the tape with the reason, an error without it."""

from __future__ import annotations

import pytest

from tests.transforms.training.stepped import convert

REASONS = {
    "a return between forward and backward": (
        """
        def step(net: nn.Linear, optimizer: torch.optim.SGD, x):
            out = net(x)
            if len(out) > 3:
                return out
            loss = out.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
        "return, break, continue or yield stands between forward and backward",
    ),
    "second order through the slots": (
        """
        def step(net: nn.Linear, optimizer: torch.optim.SGD, x):
            loss = net(x).mean()
            loss.backward(create_graph=True)
            optimizer.step()
        """,
        "differentiated again",
    ),
    "an optimizer of another module": (
        """
        def step(body: nn.Linear, head: nn.Linear, x):
            optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
            optimizer.zero_grad()
            loss = head(x).mean()
            loss.backward()
            optimizer.step()
        """,
        "reaches no parameter of the optimizer",
    ),
    "a value inside another forward": (
        """
        def step(body: nn.Linear, a: nn.Linear, b: nn.Linear, x):
            opt_a = torch.optim.SGD([*body.parameters(), *a.parameters()], lr=0.1)
            opt_b = torch.optim.SGD([*body.parameters(), *b.parameters()], lr=0.1)
            h = body(x)
            first = a(h).mean()
            opt_a.zero_grad()
            first.backward(retain_graph=True)
            opt_a.step()
            second = b(h).mean()
            opt_b.zero_grad()
            second.backward()
            opt_b.step()
        """,
        "inside the forward of another backward",
    ),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_tape_names_its_reason(name: str) -> None:
    source, reason = REASONS[name]
    result = convert(source)
    told = [d for d in result.diagnostics if d.code == "T2M202"]
    assert any(reason in d.message for d in told)
    assert "tape" in result.stats.loops
    assert "tape.start()" in result.text


@pytest.mark.parametrize("name", REASONS)
def test_without_the_tape_it_is_an_error(name: str) -> None:
    source, reason = REASONS[name]
    result = convert(source, tape=False)
    told = [d for d in result.diagnostics if d.code == "T2M201"]
    assert any(reason in d.message for d in told)
    assert 'unsupported("torch.Tensor.backward"' in result.text
    assert "tape" not in result.text


def test_every_backward_is_told_once() -> None:
    result = convert("""
        def update(optimizer: torch.optim.SGD, loss):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """)
    assert [d.code for d in result.diagnostics] == ["T2M202"]
