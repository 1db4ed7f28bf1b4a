"""Loops that drop gradients and do nothing else: `for p in net.parameters(): p.grad = None`."""

from __future__ import annotations

import ast

from torch2ms.analysis.effects import dotted


def zeroed_by(stmt: ast.stmt) -> ast.expr | None:
    """What a loop zeroes that does nothing else: a module, an optimizer, or the set that it runs over."""
    if not isinstance(stmt, ast.For) or stmt.orelse:
        return None
    match stmt.iter, stmt.body:
        case (
            ast.Attribute(value=optimizer, attr="param_groups"),
            [ast.For(iter=ast.Subscript(value=ast.Name(id=group))) as inner],
        ):
            named = isinstance(stmt.target, ast.Name) and stmt.target.id == group
            return optimizer if named and zeroed_by(inner) is not None else None
    targets = stmt.target.elts if isinstance(stmt.target, ast.Tuple) else [stmt.target]
    variable = targets[-1].id if isinstance(targets[-1], ast.Name) else ""
    if not stmt.body or not all(_only_zeroes(inner, variable) for inner in stmt.body):
        return None
    match stmt.iter:
        case ast.Call(func=ast.Attribute(value=module, attr="parameters" | "named_parameters"), args=[]):
            return module
    return stmt.iter if len(targets) == 1 else None


def _only_zeroes(stmt: ast.stmt, variable: str) -> bool:
    """Whether a statement drops the gradient of a variable, or does so where there is one, and nothing else."""
    match stmt:
        case ast.Assign(targets=[ast.Attribute(attr="grad") as grad], value=ast.Constant(value=None)):
            return dotted(grad) == f"{variable}.grad"
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="zero_" | "detach_"), args=[])):
            return dotted(owner) in (f"{variable}.grad", f"{variable}.grad.data")
        case ast.If(test=test, orelse=[]):
            asked = ast.unparse(test) in (f"{variable}.grad is not None", f"{variable}.requires_grad")
            return asked and all(_only_zeroes(inner, variable) for inner in stmt.body)
    return False
