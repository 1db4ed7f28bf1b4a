"""Functions and classes: new names, renamed parameters, dropped decorators."""
from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst

from torch2ms.emit.nodes import comments

if TYPE_CHECKING:
    from torch2ms.emit.index import Index


def finished_definition(stmt: ast.stmt, node: Any, index: Index) -> Any:
    """The definition with what is planned for its name, parameters and decorators."""
    if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node = node.with_changes(params=renamed_parameters(stmt.args, node.params, index))
    elif not isinstance(stmt, ast.ClassDef):
        return node
    if stmt in index.renames:
        node = node.with_changes(name=cst.Name(index.renames[stmt]))
    if any(decorator in index.dropped for decorator in stmt.decorator_list):
        node = _undecorated(stmt, node, index)
    return node


def renamed_parameters(args: ast.arguments, params: cst.Parameters, index: Index) -> cst.Parameters:
    """Parameters under their new names."""
    groups = (("posonly_params", args.posonlyargs), ("params", args.args), ("kwonly_params", args.kwonlyargs))
    changes: dict[str, Any] = {}
    for field, nodes in groups:
        if any(arg in index.renames for arg in nodes):
            olds = getattr(params, field)
            changes[field] = [_renamed(old, index.renames.get(arg)) for arg, old in zip(nodes, olds, strict=True)]
    for field, arg in (("star_arg", args.vararg), ("star_kwarg", args.kwarg)):
        if arg is not None and arg in index.renames:
            changes[field] = _renamed(getattr(params, field), index.renames[arg])
    return params.with_changes(**changes) if changes else params


def _renamed(param: cst.Param, name: str | None) -> cst.Param:
    return param if name is None else param.with_changes(name=cst.Name(name))


def _undecorated(stmt: Any, node: Any, index: Index) -> Any:
    """Without the dropped decorators; their comments move to the next line."""
    decorators: list[cst.Decorator] = []
    carry: list[cst.EmptyLine] = []
    for expr, decorator in zip(stmt.decorator_list, node.decorators, strict=True):
        if expr in index.dropped:
            carry += [line for line in decorator.leading_lines if line.comment]
            carry += [cst.EmptyLine(comment=c) for c in comments(decorator.trailing_whitespace)]
            carry += [cst.EmptyLine(comment=c) for c in comments(decorator.decorator)]
        else:
            decorators.append(decorator.with_changes(leading_lines=[*carry, *decorator.leading_lines]) if carry else decorator)
            carry = []
    if not decorators:
        lines = [*node.leading_lines, *carry, *node.lines_after_decorators]
        return node.with_changes(decorators=[], leading_lines=lines, lines_after_decorators=[])
    return node.with_changes(decorators=decorators, lines_after_decorators=[*carry, *node.lines_after_decorators])
