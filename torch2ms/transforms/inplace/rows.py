"""Writes to the rows that a loop takes from a tensor: they go to the tensor, by the number of the row."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.edits import Edit, New, Replace


@dataclass(frozen=True, slots=True)
class Row:
    """`for row in base`: the loop, the tensor, the name of the row's number, and whether the loop counts already."""

    loop: ast.For
    base: ast.Name
    index: str
    counted: bool = False

    def back(self, row: ast.expr) -> New:
        """The statement that writes the row to the tensor."""
        return New(f"{self.base.id}[{self.index}] = $0", (row,))

    def edits(self) -> list[Edit]:
        """The edits that make the loop count its rows."""
        if self.counted:
            return []
        target = f"{self.index}, ($0)" if isinstance(self.loop.target, ast.Tuple) else f"{self.index}, $0"
        return [
            Replace(self.loop.target, target, (self.loop.target,)),
            Replace(self.loop.iter, "enumerate($0)", (self.loop.iter,)),
        ]


def row_of(facts: Facts, target: ast.expr) -> Row | None:
    """The loop over a tensor whose row the name is; None for every other name."""
    if not isinstance(target, ast.Name):
        return None
    stmt: ast.AST | None = facts.statement(target)
    while stmt is not None and not isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        if isinstance(stmt, ast.For):
            found = _iterated(facts, stmt, target)
            if found is not None:
                bound = [n for n in ast.walk(stmt) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
                changed = {found.base.id, found.index, target.id} & {
                    n.id for n in bound if n not in set(ast.walk(stmt.target)) and not _augments(facts, n)
                }
                return None if changed else found
        stmt = facts.parent(stmt)
    return None


def _augments(facts: Facts, name: ast.Name) -> bool:
    return isinstance(facts.parent(name), ast.AugAssign)


def _iterated(facts: Facts, loop: ast.For, target: ast.Name) -> Row | None:
    match loop.target, loop.iter:
        case ast.Name(id=bound), ast.Name() as base if bound == target.id and facts.kinds.of(base).is_tensor:
            return Row(loop, base, _free_name(facts, target))
        case ast.Tuple(elts=[ast.Name(id=number), ast.Name(id=bound)]), ast.Call(
            func=ast.Name(id="enumerate"), args=[ast.Name() as base], keywords=[]
        ) if bound == target.id and facts.kinds.of(base).is_tensor:
            return Row(loop, base, number, True)
        case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=args) if len(elements) == len(args):
            for element, arg in zip(elements, args, strict=True):
                if (
                    isinstance(element, ast.Name)
                    and element.id == target.id
                    and isinstance(arg, ast.Name)
                    and facts.kinds.of(arg).is_tensor
                ):
                    return Row(loop, arg, _free_name(facts, target))
    return None


def _free_name(facts: Facts, node: ast.AST) -> str:
    taken = {n.id for n in ast.walk(facts.function(node)) if isinstance(n, ast.Name)}
    return next(name for name in ("i", "row_number", "row_number_") if name not in taken)
