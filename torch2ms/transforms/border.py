"""Calls from converted code to definitions that a comment left alone: PyTorch's tensors would come over the border."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.analysis.left_alone import left_alone
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
        """One finding for each call of a function or class that was left alone, here or in another file, and uses PyTorch."""
        if "interop" in facts.source.text:
            return
        here = left_alone(facts.source.text, facts.tree)
        elsewhere = any(module.left_alone for module in facts.project.modules.values())
        if not here and not elsewhere:
            return
        for node in facts.names.parents:
            if not isinstance(node, ast.Call) or facts.skipped(node):
                continue
            if isinstance(node.func, ast.Name) and node.func.id in here:
                name = node.func.id
            elif elsewhere and _is_left_alone(facts, facts.names.of(node.func) or ""):
                name = ast.unparse(node.func)
            else:
                continue
            message = f"{name} was left alone and uses PyTorch, whose tensors converted code cannot take"
            yield Diagnostic("T2M402", Span.of(node), message, _ADVICE)


def _is_left_alone(facts: Facts, qualified: str) -> bool:
    module, _, name = facts.project.resolve(qualified).rpartition(".")
    found = facts.project.modules.get(module)
    return found is not None and name in found.left_alone


TRANSFORM = Border()
