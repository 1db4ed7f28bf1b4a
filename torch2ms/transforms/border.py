"""Calls from converted code to definitions that a comment left alone: PyTorch's tensors would come over the border."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.analysis.canonical import is_torch
from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_ADVICE = "from torch2ms.runtime import interop, and pass what crosses through interop.convert_tensor or interop.to_torch"


class Border:
    """Says where tensors cross between the two libraries and nothing in the file turns them into each other."""

    name = "border"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Diagnostic]:
        """One finding for each call of a skipped function or class that uses PyTorch."""
        if "torch2ms: skip" not in facts.source.text or "interop" in facts.source.text:
            return
        kept = {
            node.name
            for node in facts.names.parents
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            and isinstance(facts.parent(node), ast.Module)
            and facts.skipped(node)
            and _uses_torch(facts, node)
        }
        for node in facts.names.parents:
            match node:
                case ast.Call(func=ast.Name(id=name)) if name in kept and not facts.skipped(node):
                    message = f"{name} was left alone and uses PyTorch, whose tensors converted code cannot take"
                    yield Diagnostic("T2M402", Span.of(node), message, _ADVICE)


def _uses_torch(facts: Facts, definition: ast.AST) -> bool:
    return any(
        isinstance(node, (ast.Name, ast.Attribute)) and is_torch(facts.names.of(node) or "")
        for node in ast.walk(definition)
    )


TRANSFORM = Border()
