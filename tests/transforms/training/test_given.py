"""Closures that an optimizer runs."""

from __future__ import annotations

import pytest

from tests import side_by_side
from tests.transforms.training.stepped import check


def test_defined_once() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y):
            optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5)

            def closure():
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                return loss

            for _ in range(5):
                optimizer.step(closure)
        """,
        """
        def fit(net: mint.nn.Linear, x, y):
            optimizer = optim.LBFGS(net.parameters(), lr=0.5)

            def closure():
                loss = mint.nn.functional.mse_loss(net(x), y)
                return loss

            grad_fn = value_and_grad(closure, None, optimizer.parameters)

            for _ in range(5):
                optimizer.step(grad_fn)
        """,
        closure=1,
    )


def test_returns_a_number() -> None:
    check(
        """
        def fit(net: nn.Linear, x, y):
            optimizer = torch.optim.LBFGS(net.parameters())
            for _ in range(5):
                def closure():
                    optimizer.zero_grad()
                    loss = nn.functional.mse_loss(net(x), y)
                    print(loss.item())
                    loss.backward()
                    return loss.item()
                optimizer.step(closure=closure)
        """,
        """
        def fit(net: mint.nn.Linear, x, y):
            optimizer = optim.LBFGS(net.parameters())
            for _ in range(5):
                def closure():
                    loss = mint.nn.functional.mse_loss(net(x), y)
                    print(loss.item())
                    return loss

                grad_fn = value_and_grad(closure, None, optimizer.parameters)
                optimizer.step(closure=grad_fn)
        """,
        closure=1,
    )


def test_at_module_level() -> None:
    check(
        """
        net = nn.Linear(2, 1)
        x = torch.ones(3, 2)
        optimizer = torch.optim.LBFGS(net.parameters())


        def closure():
            optimizer.zero_grad()
            loss = net(x).pow(2).sum()
            loss.backward()
            return loss


        last = optimizer.step(closure).item()
        """,
        """
        net = mint.nn.Linear(2, 1)
        x = mint.ones((3, 2))
        optimizer = optim.LBFGS(net.parameters())


        def closure():
            loss = net(x).pow(2).sum()
            return loss


        grad_fn = value_and_grad(closure, None, optimizer.parameters)


        last = optimizer.step(grad_fn).item()
        """,
        closure=1,
    )


CLOSURES = """
import torch
from torch import nn

a, b = nn.Linear(3, 1).double(), nn.Linear(3, 1).double()
with torch.no_grad():
    for i, net in enumerate((a, b)):
        net.weight.copy_(torch.tensor([[0.3, -0.2, 0.1 + i]]))
        net.bias.fill_(0.1)
x = torch.linspace(-1, 1, 24, dtype=torch.float64).view(8, 3) ** 3
y = (x.sum(1, keepdim=True) * 2).cos()
first = torch.optim.FIRST
second = torch.optim.SGD(b.parameters(), lr=0.1)


def close_a():
    first.zero_grad()
    out = a(x)
    loss = ((out - y) ** 2).mean()
    loss.backward()
    return RETURNED


def close_b():
    second.zero_grad()
    loss = ((b(x) - y) ** 2).mean()
    (loss * 3).backward()
    if loss > 100:
        return loss
    return {"loss": loss.item(), "large": out_of(loss)}


def out_of(loss):
    return float(loss) > 0.1


RESULT = []
for _ in range(3):
    RESULT.append(float(first.step(close_a)))
    RESULT.append(second.step(close_b))
RESULT += [a.weight, b.weight]
"""


@pytest.mark.parametrize("returned", ["loss", "loss.item()", "loss * 2", "loss.item() + 1", "loss + a.weight.abs().sum()"])
@pytest.mark.parametrize("first", ["SGD(a.parameters(), lr=0.2)", "LBFGS(a.parameters(), lr=0.5, max_iter=4)"])
def test_two_closures_and_what_they_return(returned: str, first: str) -> None:
    side_by_side.check(CLOSURES.replace("RETURNED", returned).replace("FIRST", first))
