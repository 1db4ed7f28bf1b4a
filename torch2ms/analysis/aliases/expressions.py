"""The storages that the value of an expression can share, one function for each sort of expression."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.aliases.calls import call
from torch2ms.analysis.aliases.operations import ARRAY_VIEWS, PERHAPS_VIEWS, VIEWS
from torch2ms.analysis.aliases.storage import NOTHING, OUTSIDE, Root, Sort, State, Value, union
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind

if TYPE_CHECKING:
    from torch2ms.analysis.aliases.evaluate import Evaluator

CONTAINERS = (Kind.SEQUENCE, Kind.MAPPING, Kind.MODULE, Kind.LOADER, Kind.DATASET, Kind.OPTIMIZER)


def _name(ev: Evaluator, node: ast.Name, state: State) -> Value:
    value = state.env.get(node.id)
    if value is not None:
        return value
    if ev.names.of(node) is not None:
        return NOTHING
    return state.at(Sort.GLOBAL, node.id)


def _attribute(ev: Evaluator, node: ast.Attribute, state: State) -> Value:
    base = ev.eval(node.value, state)
    info = ev.kinds.of(node.value)
    if info.kind in TENSOR_KINDS:
        return _tensor_attribute(node.attr, base, state)
    if info.kind is Kind.NDARRAY:
        return base if node.attr in ARRAY_VIEWS else NOTHING
    if ev.names.of(node) is not None:
        return state.at(Sort.GLOBAL, ev.names.of(node) or "")
    path = dotted(node)
    held = state.env.get(path) if path is not None else None
    if held is not None:
        return held
    if info.kind is Kind.UNKNOWN and node.attr in ("grad", "data", *VIEWS):
        return Value(_tensor_attribute(node.attr, base, state).roots | base.roots | OUTSIDE.roots)
    if path is not None and node.attr in ("shape", "device", "dtype", "training"):
        return NOTHING
    inside: frozenset[Root] = frozenset().union(*(state.heap.get(r, {r}) for r in base.roots if not r.is_outside))
    if not base.exact:
        inside |= base.roots  # the result of an unknown call may hold what it was given, or be it
    if path is not None and base.roots:
        return Value(inside | {state.root(Sort.ATTRIBUTE, path)}, not inside)
    return Value(inside | OUTSIDE.roots) if base.roots else NOTHING


def _tensor_attribute(attr: str, base: Value, state: State) -> Value:
    if attr in ("grad", "_grad"):
        return Value(frozenset(state.root(Sort.GRADIENT, _gradient_key(r)) for r in base.roots), base.exact)
    if attr in VIEWS:
        return base
    return base.loosely if attr in PERHAPS_VIEWS or attr == "_base" else NOTHING


def _gradient_key(root: Root) -> str:
    return f"{root.sort.name}:{root.key if isinstance(root.key, str) else id(root.key)}"


def _subscript(ev: Evaluator, node: ast.Subscript, state: State) -> Value:
    base = ev.eval(node.value, state)
    ev.eval(node.slice, state)
    info = ev.kinds.of(node.value)
    if info.kind in (*TENSOR_KINDS, Kind.NDARRAY):
        kind = ev.index_kind(node.slice)
        if kind == "advanced":
            return state.allocate(node)
        if not info.certain:
            return Value(base.roots | state.contents(base).roots)
        return base if kind == "basic" else Value(base.roots | state.allocate(node).roots)
    contents = state.contents(base)
    if info.kind in CONTAINERS and info.certain:
        return state.contain(node, [contents]) if isinstance(node.slice, ast.Slice) else contents
    return Value(base.roots | contents.roots)


def _operation(ev: Evaluator, node: ast.BinOp | ast.UnaryOp | ast.Compare, state: State) -> Value:
    operands = [ev.eval(part, state) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return operands[0]  # +x is x itself
    info = ev.kinds.of(node)
    if info.certain and info.kind in (*TENSOR_KINDS, Kind.NDARRAY):
        return state.allocate(node)
    if info.kind is Kind.SEQUENCE:
        return state.contain(node, [state.contents(v) for v in operands])
    return state.contain(node, [Value(state.reach(v)) for v in operands])


def _choice(ev: Evaluator, node: ast.IfExp | ast.BoolOp, state: State) -> Value:
    if isinstance(node, ast.IfExp):
        ev.eval(node.test, state)
        return union([ev.eval(node.body, state), ev.eval(node.orelse, state)])
    return union([ev.eval(v, state) for v in node.values])


def _display(ev: Evaluator, node: ast.Tuple | ast.List | ast.Set, state: State) -> Value:
    values = []
    for element in node.elts:
        value = ev.eval(element, state)
        values.append(state.contents(value) if isinstance(element, ast.Starred) else value)
    return state.contain(node, values)


def _dict(ev: Evaluator, node: ast.Dict, state: State) -> Value:
    values = [ev.eval(v, state) for v in node.values]
    held = [state.contents(v) if k is None else v for k, v in zip(node.keys, values, strict=True)]
    return state.contain(node, held)


def _comprehension(
    ev: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, state: State
) -> Value:
    saved = dict(state.env)
    for generator in node.generators:
        ev.bind_items(generator.target, generator.iter, ev.eval(generator.iter, state), state)
        for test in generator.ifs:
            ev.eval(test, state)
    element = node.value if isinstance(node, ast.DictComp) else node.elt
    made = [ev.eval(element, state), ev.eval(element, state)]
    walrus = ev.walrus_targets(node)
    for name in [n for n in state.env if n not in saved and n not in walrus]:
        del state.env[name]
    state.env.update({name: value for name, value in saved.items() if name not in walrus})
    return state.contain(node, made)


def _lambda(ev: Evaluator, node: ast.Lambda, state: State) -> Value:
    captured = [state.env[name] for name in ev.flow.reads([node]) if name in state.env]
    state.escape(union(captured))
    return state.contain(node, captured)


def _walrus(ev: Evaluator, node: ast.NamedExpr, state: State) -> Value:
    value = ev.eval(node.value, state)
    ev.bind(node.target, value, state, node.value)
    return value


def _starred(ev: Evaluator, node: ast.Starred, state: State) -> Value:
    return ev.eval(node.value, state)


def _slice(ev: Evaluator, node: ast.Slice, state: State) -> Value:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            ev.eval(part, state)
    return NOTHING


def _suspend(ev: Evaluator, node: ast.Await | ast.Yield | ast.YieldFrom, state: State) -> Value:
    if node.value is not None:
        state.escape(ev.eval(node.value, state))
    return OUTSIDE


def _joined(ev: Evaluator, node: ast.JoinedStr | ast.FormattedValue, state: State) -> Value:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            ev.eval(part, state)
    return NOTHING


HANDLERS: dict[type, Callable[..., Value]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: call,
    ast.BinOp: _operation,
    ast.UnaryOp: _operation,
    ast.Compare: _operation,
    ast.BoolOp: _choice,
    ast.IfExp: _choice,
    ast.Tuple: _display,
    ast.List: _display,
    ast.Set: _display,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Starred: _starred,
    ast.Slice: _slice,
    ast.Await: _suspend,
    ast.Yield: _suspend,
    ast.YieldFrom: _suspend,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _joined,
}
