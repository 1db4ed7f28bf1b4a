"""The kinds of expressions, one function for each sort; attributes, items and calls have modules of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.attributes import attribute
from torch2ms.analysis.calls import call
from torch2ms.analysis.cells import Unit
from torch2ms.analysis.items import subscript
from torch2ms.analysis.lattice import (
    BOOL_TENSOR,
    BOTTOM,
    NDARRAY,
    NONE,
    NUMBER,
    OTHER,
    STRING,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    join_all,
    mapping,
    record,
    sequence,
    uncertain,
)
from torch2ms.analysis.narrow import narrow
from torch2ms.analysis.operators import binary
from torch2ms.analysis.values import value_of

if TYPE_CHECKING:
    from torch2ms.analysis.evaluate import Evaluator

_MOST_KEYS = 30

_BOOL = KindInfo(Kind.NUMBER, dtype="bool")

_INT = KindInfo(Kind.NUMBER, dtype="int64")

_FLOAT = KindInfo(Kind.NUMBER, dtype="float32")

_CONSTANTS: dict[type, KindInfo] = {
    bool: _BOOL,
    int: _INT,
    float: _FLOAT,
    complex: NUMBER,
    str: STRING,
    bytes: OTHER,
    type(None): NONE,
}


def _constant(ev: Evaluator, node: ast.Constant) -> KindInfo:
    return _CONSTANTS.get(type(node.value), OTHER)


def _name(ev: Evaluator, node: ast.Name) -> KindInfo:
    info = ev.env.get(node.id)
    return info if info is not None else _free(ev, node)


def _free(ev: Evaluator, node: ast.Name) -> KindInfo:
    dotted = ev.names.of(node)
    if dotted is not None:
        return value_of(ev, dotted)
    scope = ev.names.table.scope_of.get(node)
    binder = scope.binder(node.id) if scope is not None else None
    if binder is None:
        return UNKNOWN
    if binder is ev.unit.scope and node.id not in ev.unit.scope.globals:
        ev.missed.add(node.id)
        return BOTTOM
    return ev.read(ev.variable_key(binder, node.id))


def _binop(ev: Evaluator, node: ast.BinOp) -> KindInfo:
    return binary(ev.eval(node.left), ev.eval(node.right), node.op)


def _unary(ev: Evaluator, node: ast.UnaryOp) -> KindInfo:
    operand = ev.eval(node.operand)
    if isinstance(node.op, ast.Not):
        return _BOOL
    return operand if operand.kind in (*TENSOR_KINDS, Kind.NUMBER, Kind.NDARRAY, Kind.UNKNOWN) else UNKNOWN


def _compare(ev: Evaluator, node: ast.Compare) -> KindInfo:
    operands = [ev.eval(node.left), *ev.eval_all(node.comparators)]
    if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        return _BOOL
    if len(node.ops) == 1:
        for info in operands:
            if info.kind in TENSOR_KINDS:
                return BOOL_TENSOR if info.certain and not info.optional else uncertain(BOOL_TENSOR)
        kinds = {info.kind for info in operands}
        if Kind.NDARRAY in kinds:
            return NDARRAY
        if Kind.UNKNOWN in kinds:
            return BOTTOM if BOTTOM in operands else UNKNOWN
    return _BOOL


def _boolop(ev: Evaluator, node: ast.BoolOp) -> KindInfo:
    infos = [ev.eval(node.values[0])]
    ev.branches += 1
    shown = dict(ev.shown)
    infos += ev.eval_all(node.values[1:])
    ev.shown = shown
    ev.branches -= 1
    if isinstance(node.op, ast.Or):
        infos = [i for i in infos[:-1] if i.kind is not Kind.NONE] + infos[-1:]
    return join_all(infos)


def _ifexp(ev: Evaluator, node: ast.IfExp) -> KindInfo:
    ev.eval(node.test)
    infos: list[KindInfo] = []

    def path(value: ast.expr, holds: bool) -> bool:
        saved = ev.env
        ev.env = dict(saved)
        narrow(ev, node.test, holds)
        infos.append(ev.eval(value))
        ev.env = saved
        return True

    ev.branch([lambda: path(node.body, True), lambda: path(node.orelse, False)])
    return join_all(infos)


def _display(ev: Evaluator, node: ast.Tuple | ast.List | ast.Set) -> KindInfo:
    infos = ev.eval_all(node.elts)
    if any(isinstance(e, ast.Starred) for e in node.elts):
        parts = [ev.iterate(i) if isinstance(e, ast.Starred) else i for e, i in zip(node.elts, infos, strict=True)]
        return sequence(join_all(parts))
    if isinstance(node, ast.Set) or not infos:
        return sequence(join_all(infos))
    return KindInfo(Kind.SEQUENCE, element=join_all(infos), items=tuple(infos))


def _dict(ev: Evaluator, node: ast.Dict) -> KindInfo:
    values: list[KindInfo] = []
    named: dict[str, KindInfo] | None = {}
    for key, value in zip(node.keys, node.values, strict=True):
        info = ev.eval(value)
        if key is None:
            info = info.element if info.element is not None else UNKNOWN
        else:
            ev.eval(key)
        values.append(info)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and named is not None:
            named[key.value] = info
        else:
            named = None
    return record(named) if named and len(named) <= _MOST_KEYS else mapping(join_all(values))


def _comprehension(ev: Evaluator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> KindInfo:
    saved = ev.env
    ev.env = dict(saved)
    published, ev.unit.publishes = ev.unit.publishes, False
    for generator in node.generators:
        ev.bind(generator.target, ev.iterate(ev.eval(generator.iter)))
        for test in generator.ifs:
            ev.eval(test)
    if isinstance(node, ast.DictComp):
        ev.eval(node.key)
        result = mapping(ev.eval(node.value))
    else:
        result = sequence(ev.eval(node.elt))
    ev.unit.publishes = published
    ev.env = saved
    return result


def _lambda(ev: Evaluator, node: ast.Lambda) -> KindInfo:
    unit = ev.engine.unit_of(node)
    note_defaults(ev, unit)
    return KindInfo(Kind.CALLABLE, cls=unit.qualified)


def note_defaults(ev: Evaluator, unit: Unit) -> None:
    """Evaluates the defaults of a def or lambda."""
    args = unit.node.args  # type: ignore[union-attr]
    positional = [*args.posonlyargs, *args.args]
    pairs = [
        *zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    for arg, default in pairs:
        if default is not None:
            info = ev.eval(default)
            if unit.defaults.get(arg.arg) != info:
                unit.defaults[arg.arg] = info
                if unit.runs:
                    ev.cells.dirty[unit] = None


def _walrus(ev: Evaluator, node: ast.NamedExpr) -> KindInfo:
    info = ev.eval(node.value)
    ev.bind(node.target, info)
    return info


def _starred(ev: Evaluator, node: ast.Starred) -> KindInfo:
    return ev.eval(node.value)


def _slice(ev: Evaluator, node: ast.Slice) -> KindInfo:
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            ev.eval(part)
    return OTHER


def _joined(ev: Evaluator, node: ast.JoinedStr) -> KindInfo:
    for value in node.values:
        ev.eval(value)
    return STRING


def _formatted(ev: Evaluator, node: ast.FormattedValue) -> KindInfo:
    ev.eval(node.value)
    if node.format_spec is not None:
        ev.eval(node.format_spec)
    return STRING


def _await(ev: Evaluator, node: ast.Await) -> KindInfo:
    ev.eval(node.value)
    return UNKNOWN


def _yield(ev: Evaluator, node: ast.Yield) -> KindInfo:
    info = ev.eval(node.value) if node.value is not None else NONE
    ev.yielded(info)
    return UNKNOWN


def _yield_from(ev: Evaluator, node: ast.YieldFrom) -> KindInfo:
    ev.yielded(ev.iterate(ev.eval(node.value)))
    return UNKNOWN


HANDLERS: dict[type, Callable[..., KindInfo]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.BinOp: _binop,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.IfExp: _ifexp,
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
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Call: call,
}
