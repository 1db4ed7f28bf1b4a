"""Names that a run of statements binds on every path through it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def surely_bound(stmts: Sequence[ast.stmt]) -> frozenset[str]:
    """The names bound whenever control reaches the end of the statements (Flow answers for whole functions only)."""
    bound: frozenset[str] = frozenset()
    for stmt in stmts:
        bound |= _bound(stmt)
    return bound


def _bound(stmt: ast.stmt) -> frozenset[str]:
    match stmt:
        case ast.If():
            return _walrus(stmt.test) | _join([stmt.body, stmt.orelse])
        case ast.For() | ast.AsyncFor():
            return _walrus(stmt.iter)
        case ast.While():
            always = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)
            return surely_bound(stmt.body) if always and not _breaks(stmt) else _walrus(stmt.test)
        case ast.With() | ast.AsyncWith():
            opened = frozenset().union(*(_targets(item.optional_vars) for item in stmt.items if item.optional_vars))
            return opened | surely_bound(stmt.body)
        case ast.Try():
            arms = [[*stmt.body, *stmt.orelse], *(handler.body for handler in stmt.handlers)]
            return _join(arms) | surely_bound(stmt.finalbody)
        case ast.Match():
            return _join([*(case.body for case in stmt.cases), []])
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return frozenset({stmt.name})
        case ast.Assign():
            return _walrus(stmt.value).union(*(_targets(target) for target in stmt.targets))
        case ast.AugAssign() | ast.AnnAssign():
            return (_targets(stmt.target) if stmt.value is not None else frozenset()) | (
                _walrus(stmt.value) if stmt.value else frozenset()
            )
        case ast.Import() | ast.ImportFrom():
            return frozenset(alias.asname or alias.name.partition(".")[0] for alias in stmt.names)
        case ast.Expr():
            return _walrus(stmt.value)
        case _:
            return frozenset()


def _join(arms: list[list[ast.stmt]]) -> frozenset[str]:
    ends = [surely_bound(arm) for arm in arms if not (arm and isinstance(arm[-1], _JUMPS))]
    return frozenset.intersection(*ends) if ends else frozenset()


def _breaks(loop: ast.While) -> bool:
    return any(isinstance(node, ast.Break) for node in ast.walk(loop))


def _targets(node: ast.expr) -> frozenset[str]:
    match node:
        case ast.Name():
            return frozenset({node.id})
        case ast.Tuple() | ast.List():
            return frozenset().union(*(_targets(part) for part in node.elts))
        case ast.Starred():
            return _targets(node.value)
        case _:
            return frozenset()


def _walrus(node: ast.expr) -> frozenset[str]:
    """Targets of `:=` that surely run: those not under a condition."""
    if isinstance(node, ast.NamedExpr):
        return frozenset({node.target.id}) | _walrus(node.value)
    if isinstance(node, ast.Compare):
        return _walrus(node.left) | _walrus(node.comparators[0])
    if isinstance(node, (ast.UnaryOp, ast.BoolOp)):
        return _walrus(node.operand if isinstance(node, ast.UnaryOp) else node.values[0])
    return frozenset()
