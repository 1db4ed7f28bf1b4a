"""`p.grad.data = value`, as gradient averaging writes it: the gradient's slot takes the new tensor."""

from __future__ import annotations

import pytest

from tests.tools import convert

SOURCE = """
import torch
net = torch.nn.Linear(2, 1)
torch.nn.init.ones_(net.weight)
torch.nn.init.zeros_(net.bias)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def mean(t):
    return t / 2
for x in torch.tensor([[[1.0, 2.0]], [[3.0, -1.0]]]):
    opt.zero_grad()
    net(x).sum().backward()
    for p in net.parameters():
        p.grad.data = mean(p.grad.data)
    opt.step()
result = net.weight.tolist(), net.bias.tolist()
"""


def _result(text: str) -> list[float]:
    scope: dict[str, object] = {}
    exec(compile(text, "program.py", "exec", dont_inherit=True), scope)
    weight, bias = scope["result"]  # type: ignore[misc]
    return [*weight[0], *bias]


@pytest.mark.mindspore
def test_the_optimizer_takes_the_new_gradient() -> None:
    found = convert(SOURCE)
    assert "p.grad = mean(" in found.text
    assert not [d for d in found.diagnostics if d.severity.name == "ERROR"]
    assert _result(found.text) == pytest.approx(_result(SOURCE), rel=1e-6)
