"""Tensors that ask for a gradient of their own, which become Parameters: `d = torch.zeros(3, requires_grad=True)`."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.inplace.quiet import CREATING
from torch2ms.transforms.training.callees import asks_for_gradient


def is_own_leaf(facts: Facts, target: ast.expr) -> bool:
    """Whether a name is bound once, to memory of its own, and asked for a gradient there or in a statement before `target`."""
    scope = facts.names.binder(target) if isinstance(target, ast.Name) else None
    if scope is None or not isinstance(target, ast.Name):
        return False
    # `w -= lr * w.grad` keeps it the leaf that it is
    stmts = [s for s in map(facts.parent, scope.bindings.get(target.id, [])) if not isinstance(s, ast.AugAssign)]
    made = stmts[0] if len(stmts) == 1 else None
    if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.value, ast.Call):
        return False
    if not _is_fresh(facts, made.value):
        return False
    return asks_for_gradient(made.value) or _asked_after(facts, made, target)


def may_be_asked(facts: Facts, target: ast.expr) -> bool:
    """Whether the tensor under a name may be one that was asked for its gradient, where it was made or in a statement of its own."""
    scope = facts.names.binder(target) if isinstance(target, ast.Name) else None
    if scope is None or not isinstance(target, ast.Name):
        return False
    for node in walk(scope.node):
        match node:
            case ast.Name(id=target.id, ctx=ast.Store()):
                made = facts.parent(node)
                if isinstance(made, ast.Assign) and any(
                    isinstance(n, ast.Call) and (asks_for_gradient(n) or facts.names.of(n.func) == "torch.nn.Parameter")
                    for n in walk(made.value)
                ):
                    return True
            case ast.Attribute(value=ast.Name(id=target.id), attr="requires_grad", ctx=ast.Store()):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=target.id), attr="requires_grad_")):
                return True
    return False


def is_state(facts: Facts, target: ast.expr) -> bool:
    """Whether the target is an item of a layer's `state_dict()`, which is the weight itself."""
    if not isinstance(target, ast.Subscript):
        return False
    state: ast.expr = target.value
    if isinstance(state, ast.Name):
        scope = facts.names.binder(state)
        stmts = [facts.parent(n) for n in scope.bindings.get(state.id, [])] if scope is not None else []
        made = stmts[0] if len(stmts) == 1 else None
        if not isinstance(made, ast.Assign) or len(made.targets) != 1:
            return False
        state = made.value
    return isinstance(state, ast.Call) and isinstance(state.func, ast.Attribute) and state.func.attr == "state_dict"


def _is_fresh(facts: Facts, value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=inner, attr="requires_grad_" | "detach")):
            return _is_fresh(facts, inner)
        case ast.Call(func=ast.Attribute(attr="clone")):
            return True
        case ast.Call(func=func):
            name = facts.names.of(func) or ""
            return name.startswith("torch.") and name.rpartition(".")[2] in CREATING - {"from_numpy", "as_tensor"}
    return False


def _asked_after(facts: Facts, made: ast.Assign, target: ast.Name) -> bool:
    """Whether the very statement behind the binding is `name.requires_grad_()`."""
    above = facts.parent(made)
    for body in (getattr(above, field, None) for field in ("body", "orelse", "finalbody")):
        if isinstance(body, list) and made in body[:-1]:
            match body[body.index(made) + 1]:
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))) as call) if name == target.id:
                    return call.lineno < target.lineno and asks_for_gradient(call)
    return False
