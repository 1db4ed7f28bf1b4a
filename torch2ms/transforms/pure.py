"""`--pure`: what means something else where MindSpore's own Cell and gradient stand in for the runtime's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim
from torch2ms.source import Span

_HELP = "convert without --pure, or make it explicit by hand"
_BIRTH = "a MindSpore Cell is born in evaluation mode, a PyTorch module in training mode: call `set_train()` on what you build"
_TRAIN = "MindSpore's `set_train` does not call this override on the modules inside others"
_BUFFER = "a buffer of a MindSpore Cell cannot be bound anew and is shared by copies"
_GRADIENT = (
    "MindSpore's gradient is zero, not None, for parameters that the loss does not reach or that are frozen, "
    "and it takes losses without a graph"
)


class Pure:
    """Reports what cannot be proven equal without the runtime; nothing is claimed."""

    name = "pure"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One diagnostic for each place."""
        if facts.options.target != "pure":
            return
        for node in facts.names.parents:
            if facts.skipped(node):
                continue
            if isinstance(node, ast.ClassDef):
                if facts.project.is_module(facts.names.qualified(node)):
                    yield from _class(node)
            elif isinstance(node, ast.Call) and _asks_for_gradients(facts, node):
                yield _said(node, _GRADIENT)


def _class(node: ast.ClassDef) -> Iterator[Diagnostic]:
    yield _said(node, f"{node.name}: {_BIRTH}")
    for inner in node.body:
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and inner.name in ("train", "eval"):
            yield _said(inner, _TRAIN)
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Attribute(attr="register_buffer")):
                yield _said(part, _BUFFER)


def _asks_for_gradients(facts: Facts, node: ast.Call) -> bool:
    name = facts.names.of(node.func)
    if name is not None:
        return name in ("torch.autograd.grad", "torch.autograd.backward")
    return isinstance(node.func, ast.Attribute) and node.func.attr == "backward"


def _said(node: ast.AST, message: str) -> Diagnostic:
    return Diagnostic("T2M207", Span.of(node), message, _HELP)


TRANSFORM = Pure()
