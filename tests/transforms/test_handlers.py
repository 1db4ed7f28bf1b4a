"""Handlers of RuntimeError around operations are named, where MindSpore raises another type."""

from __future__ import annotations

import pytest

from torch2ms.convert import convert_source

PROGRAM = """
import torch
from torch import nn

net = nn.Linear(3, 1)


class Trainer:
    def step(self, x):
        return net(x).sum()

    def run(self, x):
        try:
            BODY
        except HANDLER:
            return None
"""
OPERATIONS = ["net(x)", "x = torch.cat([x, x])", "self.step(x)", "y = nn.functional.relu(x)"]


def _codes(body: str, handler: str) -> list[str]:
    result = convert_source(PROGRAM.replace("BODY", body).replace("HANDLER", handler), path="a.py")
    compile(result.text, "a.py", "exec")
    return [d.code for d in result.diagnostics if d.code == "T2M108"]


@pytest.mark.parametrize("body", OPERATIONS)
@pytest.mark.parametrize("handler", ["RuntimeError", "RuntimeError as e", "(RuntimeError, KeyError)", "torch.cuda.OutOfMemoryError"])
def test_a_handler_of_runtime_error_alone_is_named(body: str, handler: str) -> None:
    assert _codes(body, handler) == ["T2M108"]


@pytest.mark.parametrize("handler", ["(RuntimeError, ValueError, TypeError)", "Exception", "ValueError", "KeyError as e"])
def test_wider_and_other_handlers_are_not(handler: str) -> None:
    assert _codes("net(x)", handler) == []


@pytest.mark.parametrize("body", ["x = torch.load('a.pth')", "torch.distributed.init_process_group('gloo')", "x = int('3')"])
def test_what_runs_no_operation_is_not(body: str) -> None:
    assert _codes(body, "RuntimeError") == []
