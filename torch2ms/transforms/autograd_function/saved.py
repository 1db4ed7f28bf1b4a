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

    `tensors` are the arguments of save_for_backward (the last may be a starred name), `attributes` what is stored under a
    name, `statements` those that disappear, `constants` the outputs marked as non-differentiable.
    """

    tensors: list[ast.expr] = field(default_factory=list)
    attributes: dict[str, ast.expr] = field(default_factory=dict)
    statements: list[ast.stmt] = field(default_factory=list)
    constants: list[ast.expr] = field(default_factory=list)


def read_saved(function: ast.FunctionDef, ctx: str, static: bool = True) -> Saved:
    """Collect what the function stores on `ctx`; raises Declined for anything else that it does with it.

    Where the methods are not static, the context is the object itself: what its constructor stored may be read.
    """
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
                _store(saved, attribute, value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
                values
            ) and all(_is_attribute_of(t, ctx) for t in targets):
                for target, value in zip(targets, values, strict=True):
                    assert isinstance(target, ast.Attribute)
                    accounted.add(target.value)
                    _store(saved, target.attr, value)
                saved.statements.append(stmt)
                continue
            case _:
                continue
        accounted.add(owner)
        saved.statements.append(stmt)
    if not static:
        accounted |= _own_attributes(function, ctx, saved)
    for node in names(function.body, ctx):
        if node not in accounted:
            raise Declined(f"forward uses {ctx} in line {node.lineno} in a way that only a live context allows")
    return saved


_CONTEXT = frozenset(
    "needs_input_grad saved_tensors saved_variables dirty_tensors non_differentiable save_for_backward save_for_forward mark_dirty "
    "mark_non_differentiable set_materialize_grads".split()
)


def _own_attributes(function: ast.FunctionDef, ctx: str, saved: Saved) -> set[ast.AST]:
    return {
        node.value
        for stmt in function.body
        for node in ast.walk(stmt)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and _is_attribute_of(node, ctx)
        and node.attr not in _CONTEXT
        and node.attr not in saved.attributes
    }


def _is_attribute_of(target: ast.expr, ctx: str) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == ctx


def _store(saved: Saved, attribute: str, value: ast.expr) -> None:
    if attribute in saved.attributes:
        raise Declined(f"ctx.{attribute} is assigned twice")
    saved.attributes[attribute] = value


def _call(saved: Saved, method: str, args: list[ast.expr]) -> None:
    starred = [arg for arg in args if isinstance(arg, ast.Starred)]
    if starred and (
        method != "save_for_backward" or starred != args[-1:] or not isinstance(starred[0].value, ast.Name)
    ):
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
    """The uses of ctx in backward.

    `unpacked` maps a local name to the position of a saved tensor, `rest` is the starred name that takes those after.
    """

    unpacked: dict[str, int] = field(default_factory=dict)
    rest: str | None = None
    whole: list[ast.Attribute] = field(default_factory=list)  # places that read the tuple itself
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
            case ast.Assign(
                targets=[ast.Tuple() | ast.List() as target],
                value=ast.Attribute(value=ast.Name(id=name) as owner, attr=attr),
            ) if name == ctx and attr in _TENSORS and _unpack(used, target.elts):
                used.statements.append(stmt)
                accounted.add(owner)
    for node in _nodes(function):
        match node:
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name) as owner, attr=attr), slice=index) if (
                name == ctx and owner not in accounted and (i := _integer(index)) is not None
            ):
                if attr in _TENSORS:
                    used.subscripts[node] = i
                elif attr == "needs_input_grad":
                    used.needs[node] = i
                else:
                    continue
                accounted.add(owner)
    for node in _nodes(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr, ctx=ast.Load()) if (
                name == ctx and owner not in accounted
            ):
                if attr == "needs_input_grad":
                    raise Declined("needs_input_grad is used as a whole")
                if attr in _TENSORS:
                    used.whole.append(node)
                else:
                    used.attributes[node] = attr
                accounted.add(owner)
    for node in names(function.body, ctx):
        if node not in accounted:
            raise Declined(f"backward uses {ctx} in line {node.lineno} in a way that only a live context allows")
    return used


_TENSORS = ("saved_tensors", "saved_variables")


def _nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    for stmt in function.body:
        yield from ast.walk(stmt)


def _integer(index: ast.expr) -> int | None:
    match index:
        case ast.Constant(value=int(i)):
            return i
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(i))):
            return -i
    return None


def _unpack(used: Used, elements: list[ast.expr]) -> bool:
    """Note what each name stands for; False where a target is no plain name."""
    plain = elements[:-1] if elements and isinstance(elements[-1], ast.Starred) else elements
    if not all(isinstance(e, ast.Name) for e in plain):
        return False
    if plain is not elements:
        match elements[-1]:
            case ast.Starred(value=ast.Name(id=name)) if used.rest is None:
                used.rest = name
            case _:
                return False
    used.unpacked.update({e.id: i for i, e in enumerate(plain) if isinstance(e, ast.Name)})
    return True
