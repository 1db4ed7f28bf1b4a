"""`except ImportError: torch = None`: what stands in for PyTorch stands in for MindSpore, and so do questions about it."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.edits import Claim, Replace

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts


class StandIns:
    """Variables that are None where PyTorch could not be imported."""

    name = "stand_ins"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim]:
        """One claim for each assignment to the name of a guarded `import torch`, and for each `torch is None`."""
        for name in {b.local for b in facts.names.imports if b.guarded and b.target == "torch"}:
            for node, scope in facts.names.table.scope_of.items():
                if isinstance(node, ast.Name) and node.id == name and not facts.skipped(node):
                    binder = scope.binder(name)
                    imported = binder is not None and any(isinstance(n, ast.alias) for n in binder.bindings[name])
                    if imported and (not isinstance(node.ctx, ast.Load) or _is_asked(facts.parent(node))):
                        yield Claim("stand_ins", (node,), (Replace(node, "$mindspore"),), provenance=None)


def _is_asked(above: ast.AST | None) -> bool:
    """Whether a name under this node is only asked whether it is there."""
    match above:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case ast.If() | ast.IfExp() | ast.BoolOp() | ast.Assert() | ast.While():
            return True
        case ast.UnaryOp(op=ast.Not()):
            return True
    return False


TRANSFORM = StandIns()
