"""mint on CPU against torch, on the samples of PyTorch's OpInfo database.

`TORCH2MS_PARITY=full` runs up to 60 samples of each function instead of a few; the jit checks then cover them too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.runtime.mint import exceptions, gradients, parity

FULL = os.environ.get("TORCH2MS_PARITY") == "full"
SAMPLES, GRADIENTS = (60, 20) if FULL else (4, 1)


def _entries(dtype: torch.dtype) -> list[Any]:
    """Return (OpInfo, name) of everything that both libraries have, aliases too."""
    found = []
    for op in op_db:
        for name in [op.name, *(alias.name for alias in op.aliases)]:
            if callable(parity.find(name)) and op.supports_dtype(dtype, "cpu"):
                label = f"{name} {op.variant_test_name}".strip()
                found.append(pytest.param(op, name, label, id=label.replace(" ", "-")))
    return found


def _judge(problems: list[str], label: str, table: dict[str, str]) -> None:
    """Fail on problems, unless the table expects them; fail on an entry of the full run that no longer applies."""
    if label in table:
        if not problems and FULL:
            pytest.fail(f"{label} is an exception ({table[label]}) and agrees")
        return
    assert not problems, "\n".join(problems[:3])


def _run(op: Any, name: str, dtype: torch.dtype, check: Callable[[parity.Call, Any, Any, Any], str]) -> list[str]:
    problems = []
    for call in parity.calls(op, name, dtype, SAMPLES):
        try:
            reference = call.torch_function(*parity.clone(call.args), **parity.clone(call.kwargs))
        except parity.REFUSALS:
            continue  # OpInfo has samples that torch itself refuses
        try:
            parity.bind(call)
            args, kwargs = parity.to_mindspore(call.args), parity.to_mindspore(call.kwargs)
        except parity.NotInSignature:
            continue
        text = _guarded(check, call, args, kwargs, reference)
        if text:
            problems.append(f"{text} <- {call}")
    return problems


def _guarded(check: Callable[..., str], *arguments: Any) -> str:
    try:
        return check(*arguments)
    except Exception as error:  # noqa: BLE001  MindSpore raises all kinds, each is a finding
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _forward(name: str) -> Callable[..., str]:
    values = not parity.is_random(name)

    def check(call: parity.Call, args: Any, kwargs: Any, reference: Any) -> str:
        return parity.difference(reference, call.function(*args, **kwargs), values=values)

    return check


def _counted(order: Callable[..., str]) -> Callable[..., str]:
    """Limit a gradient check to the first samples that have gradients."""
    done = 0

    def check(call: parity.Call, args: Any, kwargs: Any, reference: Any) -> str:
        nonlocal done
        places = gradients.float_places(call.args)
        if done >= GRADIENTS or not places:
            return ""
        done += 1
        return order(call, args, kwargs, places)

    return check


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.float32))
def test_float32(op: Any, name: str, label: str) -> None:
    _judge(_run(op, name, torch.float32, _forward(name)), label, exceptions.FORWARD)
    if op.supports_autograd and not parity.is_random(name) and label not in exceptions.FORWARD:
        _judge(_run(op, name, torch.float32, _counted(gradients.first_order)), label, exceptions.GRADIENT)


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.float32))
def test_second_derivative(op: Any, name: str, label: str) -> None:
    if not op.supports_gradgrad or parity.is_random(name):
        pytest.skip("no second derivative")
    if label in exceptions.FORWARD | exceptions.GRADIENT and label not in exceptions.SECOND:
        pytest.skip("an exception of the first")
    _judge(_run(op, name, torch.float32, _counted(gradients.second_order)), label, exceptions.SECOND)


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.int64))
def test_int64(op: Any, name: str, label: str) -> None:
    _judge(_run(op, name, torch.int64, _forward(name)), label, exceptions.INT64 | exceptions.FORWARD)


@pytest.mark.parametrize(("op", "name", "label"), _entries(torch.bool))
def test_bool(op: Any, name: str, label: str) -> None:
    _judge(_run(op, name, torch.bool, _forward(name)), label, exceptions.BOOL | exceptions.FORWARD)
