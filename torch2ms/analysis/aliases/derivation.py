"""How a variable was made as a view of another one."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import SPLITTING, VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.scopes import walk


@dataclass(frozen=True, slots=True)
class Derivation:
    """`name = view` in `stmt`, where `view` is a chain of views of the variable `base`; both still hold what they held then."""

    base: str
    view: ast.expr
    stmt: ast.Assign


def derivation(context: Context, name: ast.Name) -> Derivation | None:
    """The one assignment that made the variable where it stands, if that was a view and nothing it uses was rebound since."""
    flow = context.flow
    here = context.facts.statement(name)
    made = flow.reaching(name.id, here)
    stmt = made[0] if len(made) == 1 else None
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return None
    base = _base(context, stmt.value)
    if base is None:
        return None
    used = {part.id for part in walk(stmt.value) if isinstance(part, ast.Name)}
    changing = [node.stmt for node in flow.graph.nodes if node.stmt is not None and used & node.effects.all_writes]
    between = flow.between(stmt, here, [s for s in changing if isinstance(s, ast.stmt)])
    changed = between is None or between[1] != 0 or used & flow.captured_writes
    return None if changed else Derivation(base, stmt.value, stmt)


def _base(context: Context, view: ast.expr) -> str | None:
    """The variable at the start of a chain of sure views."""
    while not isinstance(view, ast.Name):
        inner: ast.expr
        if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute):
            if view.func.attr not in VIEWS or view.func.attr in SPLITTING or context.names.of(view.func) is not None:
                return None
            inner = view.func.value
        elif isinstance(view, ast.Attribute) and view.attr in VIEWS:
            inner = view.value
        elif isinstance(view, ast.Subscript) and context.index_kind(view.slice) == "basic":
            inner = view.value
        else:
            return None
        info = context.kinds.of(inner)
        if info.kind not in TENSOR_KINDS or not info.certain:
            return None
        view = inner
    info = context.kinds.of(view)
    return view.id if info.kind in TENSOR_KINDS and info.certain else None
