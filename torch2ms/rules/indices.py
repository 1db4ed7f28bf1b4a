"""The index of a device: a MindSpore process has one device, so what names another one is spoken of."""
from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.rules.values import kind_of
from torch2ms.source import Span

ADVICE = "start one process per device, or call mindspore.set_device once"


def lost_index(facts: Facts, call: ast.Call) -> Diagnostic | None:
    """What there is to say about the device that a call which places something names, if its index gets lost."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    for value in (*call.args[:1], *(k.value for k in call.keywords if k.arg == "device")):
        if _is_index(facts, name, value):
            return Diagnostic("T2M501", Span.of(value), f"the device index of {ast.unparse(value)!r} is not kept", ADVICE)
    return None


def _is_index(facts: Facts, name: str, value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool() | None):
            return False
        case ast.Constant(value=int(number)):
            return number != 0 and name in ("cuda", "to", "device")
        case ast.Constant(value=str(text)):
            kind, _, index = text.partition(":")
            return kind in ("cuda", "npu") and index.isdigit() and index != "0"
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return name == "cuda" and kind_of(facts, value) not in ("DEVICE", "STRING", "BOOL")
    return False
