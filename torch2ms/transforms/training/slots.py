"""Statements that work on `.grad` slots: zeroing, scaling, and updates by hand in functions without a backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.edits import Claim, New, Splice
from torch2ms.transforms.training.manual import OPERATORS, assignment
from torch2ms.transforms.training.tree import own_nodes

_METHODS = {"add_": "+", "sub_": "-", "mul_": "*", "div_": "/"}
_CLAMPS = ("clamp_", "clip_")


def slot_claims(facts: Facts, taken: set[ast.stmt]) -> Iterator[Claim]:
    """One claim for each statement outside `taken` that changes a gradient, or a parameter by its gradient."""
    if ".grad" not in facts.source.text:
        return
    for stmt in facts.names.parents:
        if not isinstance(stmt, (ast.Expr, ast.Assign, ast.AugAssign)) or stmt in taken or facts.skipped(stmt):
            continue
        grads = [n for n in own_nodes(stmt) if _is_grad(facts, n)]
        found = (_change(facts, stmt) or _update(stmt, grads)) if grads else None
        if found is not None:
            yield Claim("training", (stmt,), (found,))


def _is_grad(facts: Facts, node: ast.AST) -> bool:
    """Whether a node is the `.grad` of something that can be a tensor."""
    if not isinstance(node, ast.Attribute) or node.attr != "grad" or facts.names.of(node) is not None:
        return False
    return facts.kinds.of(node.value).kind in (Kind.TENSOR, Kind.PARAMETER, Kind.UNKNOWN)


def _owner(facts: Facts, node: ast.expr) -> ast.expr | None:
    """`p` of `p.grad`, `p.grad.data` and `p.grad[:]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        if node.slice.lower is None and node.slice.upper is None:
            node = node.value
    if isinstance(node, ast.Attribute) and node.attr == "data":
        node = node.value
    return node.value if isinstance(node, ast.Attribute) and _is_grad(facts, node) else None


def _change(facts: Facts, stmt: ast.Expr | ast.Assign | ast.AugAssign) -> Splice | None:
    """A statement that changes a gradient in place, as an assignment to the slot."""
    if isinstance(stmt, ast.AugAssign):
        owner = _owner(facts, stmt.target)
        if owner is None or type(stmt.op) not in OPERATORS:
            return None
        return Splice(stmt, (New(f"$0.grad = $0.grad {OPERATORS[type(stmt.op)]} $1", (owner, stmt.value)),))
    if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
        return None
    call = stmt.value
    owner = _owner(facts, call.func.value) if isinstance(call.func, ast.Attribute) else None
    if owner is None or not isinstance(call.func, ast.Attribute):
        return None
    method, args = call.func.attr, call.args
    if method == "zero_":
        return Splice(stmt, (New("$0.grad = $mint.zeros_like($0.grad)", (owner,)),))
    if method == "copy_" and len(args) == 1:
        return Splice(stmt, (New("$0.grad = $1", (owner, args[0])),))
    if method in _METHODS and len(args) == 1 and not call.keywords:
        return Splice(stmt, (New(f"$0.grad = $0.grad {_METHODS[method]} $1", (owner, args[0])),))
    if method in _CLAMPS and not any(k.arg is None for k in call.keywords):
        slots = [f"${i + 1}" for i in range(len(args))]
        slots += [f"{k.arg}=${len(args) + i + 1}" for i, k in enumerate(call.keywords)]
        parts = (owner, *args, *(k.value for k in call.keywords))
        return Splice(stmt, (New(f"$0.grad = $mint.clamp($0.grad, {', '.join(slots)})", parts),))
    return None


def _update(stmt: ast.Expr | ast.Assign | ast.AugAssign, grads: list[ast.AST]) -> Splice | None:
    """`p -= lr * p.grad`: the target is what the gradient belongs to, so it is a parameter."""
    found = assignment(stmt)
    if found is None:
        return None
    (new,) = found.items
    target = dotted(new.parts[0]) if isinstance(new, New) else None
    owners = {dotted(node.value) for node in grads if isinstance(node, ast.Attribute)}
    return found if target is not None and target in owners else None
