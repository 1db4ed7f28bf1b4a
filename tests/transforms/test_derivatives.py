"""Derivatives of functions, and gradients of gradients, beside PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.side_by_side import check
from torch2ms.convert import convert_source
from torch2ms.runtime import _backend

pytestmark = [pytest.mark.slow, pytest.mark.mindspore]
PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.mark.parametrize("name", ["derivatives", "second_order"])
def test_program(name: str) -> None:
    try:
        result = check((PROGRAMS / f"{name}.py").read_text())
    finally:
        _backend.stop_recording()
    assert "unsupported" not in result.text


@pytest.mark.parametrize(
    "call", ["torch.func.linearize(f, x)", "torch.func.functionalize(f)", "torch.func.stack_module_state([f])"]
)
def test_what_has_no_counterpart_is_refused_by_name(call: str) -> None:
    result = convert_source(f"import torch\n\n\ndef run(f, x):\n    return {call}\n")
    name = call.partition("(")[0]
    assert any(name in d.message for d in result.diagnostics if d.severity.name == "ERROR")
    assert f'unsupported("{name}"' in result.text


def test_a_checkpoint_with_running_statistics_is_refused_at_run_time() -> None:
    source = """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opt.zero_grad()
loss = checkpoint(net, torch.ones(3, 2), use_reentrant=False).sum()
loss.backward()
opt.step()
RESULT = 0
"""
    with pytest.raises(NotImplementedError, match="running statistics"):
        check(source)
