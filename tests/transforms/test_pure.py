"""What `--pure` cannot prove equal is said loudly; without it nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools import check_diagnostics, convert
from tests.trees import convert_tree
from torch2ms.analysis.facts import Options

SOURCE = """
    import torch
    from torch import nn

    class Net(nn.Module):  # T2M207
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)
            self.register_buffer("seen", torch.zeros(1))  # T2M207

        def train(self, mode=True):  # T2M207
            return super().train(mode)

        def forward(self, x):
            return self.fc(x)

    def step(net: Net, optimizer: torch.optim.SGD, x):
        optimizer.zero_grad()
        loss = net(x).sum()
        loss.backward()  # T2M207
        optimizer.step()
"""


def test_what_pure_cannot_keep() -> None:
    check_diagnostics(SOURCE, target="pure")


@pytest.mark.parametrize("target", ["portable", "pure"])
def test_silence(target: str) -> None:
    quiet = "import torch\nclass Net:\n    def train(self): return torch.exp(torch.ones(3))\n"
    assert not convert(quiet, target=target).diagnostics
    assert "T2M207" not in {d.code for d in convert(SOURCE).diagnostics}


def test_the_example() -> None:
    """Each module class and each backward of examples/mnist is named, and nothing else."""
    results = convert_tree(Path(__file__).parents[2] / "examples" / "mnist", Options(target="pure"))
    said = {(path, result.source.text.splitlines()[d.span.line - 1].strip()) for path, result in results.items() for d in result.diagnostics if d.code == "T2M207"}
    expected = {
        (path, line.strip())
        for path, result in results.items()
        for line in result.source.text.splitlines()
        if "(nn.Module):" in line or ".backward()" in line
    }
    assert said == expected and len(expected) == 2
