"""What a condition tells of the variables in it: isinstance, is_tensor, is None."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torch2ms.analysis.annotations import annotation_kind
from torch2ms.analysis.lattice import NONE, SEQUENCE, TENSOR, Kind, KindInfo, join_all, required

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

_SEQUENCES = ("builtins.list", "builtins.tuple", "collections.abc.Sequence", "collections.abc.Iterable")


def narrow(ev: Evaluator, test: ast.expr, holds: bool) -> None:
    """Notes in the environment what a condition that holds (or does not) says of names and `self.x` paths."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            narrow(ev, inner, not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            for value in values:
                narrow(ev, value, holds)
        case ast.Call(func=func, args=[subject, classes]) if holds and ev.names.of(func) == "builtins.isinstance":
            info = _instance(ev, classes)
            if info is not None:
                _set(ev, subject, info)
        case ast.Call(func=func, args=[subject]) if holds and ev.names.of(func) == "torch.is_tensor":
            _set(ev, subject, TENSOR)
        case ast.Compare(left=subject, ops=[op], comparators=[ast.Constant(value=None)]):
            if isinstance(op, ast.IsNot) == holds:
                _required(ev, subject)
            elif isinstance(op, ast.Is) == holds and _lookup(ev, subject) is not None:
                _set(ev, subject, NONE)
        case ast.Name() | ast.Attribute() if holds:
            _required(ev, test)


def _path(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return None


def _lookup(ev: Evaluator, node: ast.expr) -> KindInfo | None:
    path = _path(node)
    return ev.env.get(path) if path is not None else None


def _set(ev: Evaluator, node: ast.expr, info: KindInfo) -> None:
    path = _path(node)
    old = ev.env.get(path) if path is not None else None
    if path is None or isinstance(node, ast.Name) and old is None:
        return
    if old is not None and old.kind is info.kind and old.certain and (old.classes or not info.classes):
        info = required(old)
    elif old is not None and old.kind is Kind.PARAMETER and info.kind is Kind.TENSOR:
        info = required(old)
    ev.env[path] = info


def _required(ev: Evaluator, node: ast.expr) -> None:
    info = _lookup(ev, node)
    path = _path(node)
    if info is not None and path is not None and info.optional and isinstance(node, (ast.Name, ast.Attribute)):
        ev.env[path] = required(info)


def _instance(ev: Evaluator, classes: ast.expr) -> KindInfo | None:
    if isinstance(classes, ast.Tuple):
        found = [_instance(ev, c) for c in classes.elts]
        known = [f for f in found if f is not None]
        joined = join_all(known) if known and len(known) == len(found) else None
        return joined if joined is not None and joined.kind is not Kind.UNKNOWN else None
    if ev.names.of(classes) in _SEQUENCES:
        return SEQUENCE
    info = annotation_kind(classes, ev.names, ev.project)
    return info if info.kind is not Kind.UNKNOWN else None
