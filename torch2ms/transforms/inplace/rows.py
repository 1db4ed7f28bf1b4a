"""Writes to the rows that a loop takes from a tensor: they go to the tensor, by the number of the row."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.edits import Edit, Replace


@dataclass(frozen=True, slots=True)
class Row:
    """`for row in base`: the loop, the tensor, and the name of the row's number."""

    loop: ast.For
    base: ast.Name
    index: str

    def edits(self) -> list[Edit]:
        """The edits that make the loop count its rows."""
        target = f"{self.index}, ($0)" if isinstance(self.loop.target, ast.Tuple) else f"{self.index}, $0"
        return [
            Replace(self.loop.target, target, (self.loop.target,)),
            Replace(self.loop.iter, "enumerate($0)", (self.loop.iter,)),
        ]


def row_of(facts: Facts, target: ast.expr) -> Row | None:
    """The loop over a tensor whose row the name is; None for every other name."""
    if not isinstance(target, ast.Name):
        return None
    node: ast.AST | None = facts.statement(target)
    while node is not None and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        if isinstance(node, ast.For):
            base = _iterated(facts, node, target.id)
            if base is not None:
                return Row(node, base, _free_name(facts, target))
        node = facts.parent(node)
    return None


def _iterated(facts: Facts, loop: ast.For, name: str) -> ast.Name | None:
    match loop.target, loop.iter:
        case ast.Name(id=bound), ast.Name() as base if bound == name and facts.kinds.of(base).is_tensor:
            return base
        case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=args) if len(elements) == len(args):
            for element, arg in zip(elements, args, strict=True):
                if (
                    isinstance(element, ast.Name)
                    and element.id == name
                    and isinstance(arg, ast.Name)
                    and facts.kinds.of(arg).is_tensor
                ):
                    return arg
    return None


def _free_name(facts: Facts, node: ast.AST) -> str:
    taken = {n.id for n in ast.walk(facts.function(node)) if isinstance(n, ast.Name)}
    return next(name for name in ("i", "row_number", "row_number_") if name not in taken)
