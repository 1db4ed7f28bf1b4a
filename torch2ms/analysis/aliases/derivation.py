"""How a variable was made as a view of another one."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import PURE_VIEWS, SPLITTING, VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.nodes import walk


@dataclass(frozen=True, slots=True)
class Derivation:
    """`name = view` in `stmt`, where `view` is a chain of views of the variable `base`; both still hold what they held then."""

    base: str
    view: ast.expr
    stmt: ast.Assign


def derivation(context: Context, name: ast.Name) -> Derivation | None:
    """The one assignment that made the variable where it stands, if that was a view and nothing it uses was rebound since."""
    here = context.facts.statement(name)
    made = context.flow.reaching(name.id, here)
    return _derived(context, made, here, VIEWS, False)


def derivation_at(context: Context, name: str, here: ast.stmt) -> Derivation | None:
    """The same for a name at the start of a statement, with views that gradients run through.

    Augmented assignments to tensors count as writes, not as bindings.
    """
    return _derived(context, bindings(context, name, here), here, PURE_VIEWS, True)


def bindings(context: Context, name: str, here: ast.stmt) -> tuple[ast.AST, ...]:
    """The statements that bound the tensor which the name holds at the start of a statement."""
    found: dict[ast.AST, None] = {}
    seen: set[ast.AST] = set()
    todo = [here]
    while todo:
        for stmt in context.flow.reaching(name, todo.pop()):
            if stmt in seen:
                continue
            seen.add(stmt)
            if isinstance(stmt, ast.AugAssign) and _is_tensor(context, stmt.target):
                todo.append(stmt)
            else:
                found[stmt] = None
    return tuple(found)


def _derived(
    context: Context, made: tuple[ast.AST, ...], here: ast.stmt, views: frozenset[str], writes_stay: bool
) -> Derivation | None:
    flow = context.flow
    stmt = made[0] if len(made) == 1 else None
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return None
    base = view_base(context, stmt.value, views)
    if base is None:
        return None
    used = {part.id for part in walk(stmt.value) if isinstance(part, ast.Name)}
    changing = [node.stmt for node in flow.graph.nodes if node.stmt is not None and used & node.effects.all_writes]
    if writes_stay:
        changing = [s for s in changing if not (isinstance(s, ast.AugAssign) and _is_tensor(context, s.target))]
    between = flow.between(stmt, here, [s for s in changing if isinstance(s, ast.stmt)])
    changed = between is None or between[1] != 0 or used & flow.captured_writes
    return None if changed else Derivation(base, stmt.value, stmt)


def _is_tensor(context: Context, node: ast.expr) -> bool:
    info = context.kinds.of(node)
    return info.kind in TENSOR_KINDS and info.certain


def view_base(context: Context, view: ast.expr, views: frozenset[str] = PURE_VIEWS) -> str | None:
    """The variable at the start of a chain of sure views."""
    while not isinstance(view, ast.Name):
        inner = _step(context, view, views)
        if inner is None or not _is_tensor(context, inner):
            return None
        view = inner
    return view.id if _is_tensor(context, view) else None


def _step(context: Context, view: ast.expr, views: frozenset[str]) -> ast.expr | None:
    """The tensor that the outermost operation of a view takes."""
    if isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute):
        if view.func.attr not in views or view.func.attr in SPLITTING:
            return None
        name = context.names.of(view.func)
        if name is None:
            return view.func.value
        return view.args[0] if name == f"torch.{view.func.attr}" and view.args else None
    if isinstance(view, ast.Attribute) and view.attr in views:
        return view.value
    if isinstance(view, ast.Subscript) and context.index_kind(view.slice) == "basic":
        return view.value
    return None
