"""What an autograd.Function keeps from forward to backward, and how backward gets at it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field


class Declined(Exception):
    """The Function uses something that Cell.bprop cannot express; the message names it."""


@dataclass(slots=True)
class Saved:
    """The uses of ctx in forward.

    `tensors` are the arguments of save_for_backward, `attributes` what is stored under a name, `statements` those that
    disappear, `constants` the outputs marked as non-differentiable.
    """

    tensors: list[ast.expr] = field(default_factory=list)
    attributes: dict[str, ast.expr] = field(default_factory=dict)
    statements: list[ast.stmt] = field(default_factory=list)
    constants: list[ast.expr] = field(default_factory=list)


def read_saved(function: ast.FunctionDef, ctx: str) -> Saved:
    """Collect what the function stores on `ctx`; raises Declined for anything else that it does with it."""
    saved = Saved()
    accounted: set[ast.AST] = set()
    for stmt in function.body:
        match stmt:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner, attr=method), args=args)
            ) if name == ctx:
                _call(saved, method, args)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name) as owner, attr=attribute)], value=value) if (
                name == ctx
            ):
                if attribute in saved.attributes:
                    raise Declined(f"ctx.{attribute} is assigned twice")
                saved.attributes[attribute] = value
            case _:
                continue
        accounted.add(owner)
        saved.statements.append(stmt)
    for node in names(function.body, ctx):
        if node not in accounted:
            raise Declined(f"forward uses {ctx} in line {node.lineno} in a way that only a live context allows")
    return saved


def _call(saved: Saved, method: str, args: list[ast.expr]) -> None:
    if any(isinstance(arg, ast.Starred) for arg in args):
        raise Declined(f"{method} takes a starred list")
    match method:
        case "save_for_backward":
            if saved.tensors:
                raise Declined("save_for_backward is called twice")
            saved.tensors.extend(args)
        case "mark_non_differentiable":
            saved.constants.extend(args)
        case _:
            raise Declined(f"forward calls ctx.{method}")


def names(body: list[ast.stmt], name: str) -> Iterator[ast.Name]:
    """Every use of a name in the statements."""
    for stmt in body:
        for node in ast.walk(stmt):
            if isinstance(node, ast.Name) and node.id == name:
                yield node


@dataclass(slots=True)
class Used:
    """The uses of ctx in backward: `unpacked` maps a local name to the position of a saved tensor."""

    unpacked: dict[str, int] = field(default_factory=dict)
    statements: list[ast.stmt] = field(default_factory=list)
    subscripts: dict[ast.Subscript, int] = field(default_factory=dict)
    attributes: dict[ast.Attribute, str] = field(default_factory=dict)
    needs: dict[ast.expr, int | None] = field(default_factory=dict)  # needs_input_grad[i]; None: the whole tuple


def read_used(function: ast.FunctionDef, ctx: str) -> Used:
    """Collect what backward reads from `ctx`; raises Declined for anything else that it does with it."""
    used = Used()
    accounted: set[ast.AST] = set()
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[target], value=ast.Attribute(value=ast.Name(id=name) as owner, attr=attr)) if (
                name == ctx and attr in _TENSORS
            ):
                for i, local in enumerate(_targets(target)):
                    used.unpacked[local] = i
                used.statements.append(stmt)
                accounted.add(owner)
    for stmt in function.body:
        for node in ast.walk(stmt):
            match node:
                case ast.Subscript(
                    value=ast.Attribute(value=ast.Name(id=name) as owner, attr=attr), slice=ast.Constant(value=int(i))
                ) if name == ctx and owner not in accounted:
                    if attr in _TENSORS:
                        used.subscripts[node] = i
                    elif attr == "needs_input_grad":
                        used.needs[node] = i
                    else:
                        continue
                    accounted.add(owner)
    for stmt in function.body:
        for node in ast.walk(stmt):
            match node:
                case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr, ctx=ast.Load()) if (
                    name == ctx and owner not in accounted
                ):
                    if attr in _TENSORS:
                        raise Declined("saved_tensors is used as a whole")
                    if attr == "needs_input_grad":
                        raise Declined("needs_input_grad is used as a whole")
                    used.attributes[node] = attr
                    accounted.add(owner)
    for node in names(function.body, ctx):
        if node not in accounted:
            raise Declined(f"backward uses {ctx} in line {node.lineno} in a way that only a live context allows")
    return used


_TENSORS = ("saved_tensors", "saved_variables")


def _targets(target: ast.expr) -> list[str]:
    match target:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if all(isinstance(e, ast.Name) for e in elements):
            return [e.id for e in elements if isinstance(e, ast.Name)]
    raise Declined("saved_tensors is kept as a whole")
