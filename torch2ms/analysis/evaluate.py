"""The kind of an expression in an environment: everything but attributes and calls."""
from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.calls import apply_function, call, call_value
from torch2ms.analysis.cells import Key, Unit
from torch2ms.analysis.lattice import (
    BOOL_TENSOR,
    BOTTOM,
    MAYBE_TENSOR,
    NDARRAY,
    NONE,
    NUMBER,
    OTHER,
    STRING,
    TENSOR,
    TENSOR_KINDS,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join,
    join_all,
    mapping,
    record,
    sequence,
    uncertain,
)
from torch2ms.analysis.narrow import narrow
from torch2ms.analysis.objects import (
    attribute,
    iterate_object,
    state_key,
    store_attribute,
    subscript,
    value_of,
    with_item,
)
from torch2ms.analysis.python_kinds import iterate
from torch2ms.analysis.torch_kinds import OPTIMIZER_STATE

if TYPE_CHECKING:
    from torch2ms.analysis.infer import Engine

Env = dict[str, KindInfo]
_MOST_KEYS = 30
_WRITTEN = (Kind.TENSOR, Kind.PARAMETER, Kind.UNKNOWN)
_BOOL = KindInfo(Kind.NUMBER, dtype="bool")
_INT = KindInfo(Kind.NUMBER, dtype="int64")
_FLOAT = KindInfo(Kind.NUMBER, dtype="float32")
_CONSTANTS: dict[type, KindInfo] = {bool: _BOOL, int: _INT, float: _FLOAT, complex: NUMBER, str: STRING, bytes: OTHER, type(None): NONE}


class Evaluator:
    """Evaluates expressions of one run of a unit; `env` maps local names and paths like `self.x` to kinds."""

    def __init__(self, engine: Engine, unit: Unit, found: dict[ast.AST, KindInfo]) -> None:
        self.engine = engine
        self.project = engine.project
        self.unit = unit
        self.names = unit.names
        self.cells = engine.cells
        self.found = found
        self.env: Env = {}
        self.missed: set[str] = set()
        self.branches = 0  # how deep in conditional code
        self.shown: dict[Origin, KindInfo] = {}  # what uses on the path to here show of parameters

    def eval(self, node: ast.expr) -> KindInfo:
        """The kind of an expression here; notes it."""
        handler = _HANDLERS.get(type(node))
        info = handler(self, node) if handler is not None else UNKNOWN
        self.found[node] = info
        return info

    def call(self, callee: KindInfo, arguments: Arguments) -> KindInfo:
        """What calling a value gives."""
        return call_value(self, callee, arguments)

    def apply(self, cls: str, arguments: Arguments) -> KindInfo:
        """What `apply` of an autograd.Function gives."""
        return apply_function(self, cls, arguments)

    def yielded(self, info: KindInfo) -> None:
        """Notes a yield; of no matter outside functions."""

    def eval_all(self, nodes: list[ast.expr]) -> list[KindInfo]:
        """The kinds of several expressions."""
        return [self.eval(node) for node in nodes]

    def prove(self, info: KindInfo | None, shown: KindInfo = TENSOR) -> None:
        """If the value came in through a parameter, its use here shows the parameter's kind."""
        if type(info) is Origin:
            self.shown[info] = shown
            self.engine.prove(info, shown, not self.branches)

    def note_write(self, info: KindInfo) -> None:
        """Notes that a value of this kind is written in place."""
        if info.kind in _WRITTEN:
            self.unit.writes = True

    def branch(self, paths: list[Callable[[], bool]]) -> None:
        """Runs alternatives that each say whether they go on; what all of those show holds behind them."""
        before = self.shown
        ends = []
        self.branches += 1
        for path in paths:
            self.shown = dict(before)
            if path():
                ends.append(self.shown)
        self.branches -= 1
        self.shown = before
        for origin, info in ends[0].items() if ends else ():
            if origin not in before and all(origin in end for end in ends):
                self.prove(origin, info)

    def read(self, key: Key) -> KindInfo:
        """A fact that other units write."""
        return self.cells.read(key, self.unit)

    def write(self, key: Key, info: KindInfo) -> None:
        """Says what this run contributes to a fact."""
        self.cells.write(key, self.unit, self.unit.runs, info)

    def variable_key(self, scope: object, name: str) -> Key:
        """The fact that holds a variable seen from other units."""
        if scope is self.names.table.module:
            return ("variable", self.names.module, name)
        return ("local", scope, name)

    def store(self, name: str, info: KindInfo) -> None:
        """Binds a name."""
        scope = self.unit.scope
        if name in scope.globals:
            self.write(("variable", self.names.module, name), info)
            return
        if name in scope.nonlocals and scope.parent is not None:
            self.write(self.variable_key(scope.parent.binder(name), name), info)
            return
        self.env[name] = info
        if self.unit.publishes:
            self.write(self.variable_key(scope, name), info)

    def forget(self, root: str) -> None:
        """Drops what is known of the attributes of a local object, after a call that may have changed them."""
        prefix = root + "."
        for path in [p for p in self.env if p.startswith(prefix)]:
            del self.env[path]

    def bind(self, target: ast.expr, info: KindInfo) -> None:
        """Assigns to a target: a name, an attribute, an item or several of them."""
        kind = type(target)
        if kind is ast.Name:
            self.found[target] = info
            self.forget(target.id)  # type: ignore[attr-defined]
            self.store(target.id, info)  # type: ignore[attr-defined]
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, info)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, info)
        elif isinstance(target, ast.Attribute):
            store_attribute(self, target, info)
        elif isinstance(target, ast.Subscript):
            self.eval(target.slice)
            container = self.eval(target.value)
            self.note_write(container)
            if container.kind is Kind.MAPPING and container.cls is None:
                self.replace(target.value, with_item(container, target.slice, info))
            elif container.cls == OPTIMIZER_STATE.cls and isinstance(target.slice, ast.Constant):
                self.write(state_key(target.slice), info)
            elif container.kind is Kind.SEQUENCE and not isinstance(target.slice, ast.Slice):
                element = join(container.element, info) if container.element is not None else None
                self.replace(target.value, sequence(element))

    def _unpack(self, targets: list[ast.expr], info: KindInfo) -> None:
        stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
        items = info.items if info.kind is Kind.SEQUENCE else None
        if items is not None and not stars and len(items) == len(targets):
            parts = list(items)
        elif items is not None and len(stars) == 1 and len(items) >= len(targets) - 1:
            at, after = stars[0], len(targets) - stars[0] - 1
            middle = sequence(items=items[at : len(items) - after])
            parts = [*items[:at], middle, *items[len(items) - after :]]
        else:
            element = self.iterate(info)
            parts = [sequence(element) if isinstance(t, ast.Starred) else element for t in targets]
        for target, part in zip(targets, parts, strict=True):
            self.bind(target, part)

    def replace(self, node: ast.expr, info: KindInfo) -> None:
        """Notes that the object in a variable or attribute was changed in place and is now of this kind."""
        if isinstance(node, ast.Name):
            if node.id in self.env:
                self.store(node.id, info)
            else:
                scope = self.names.table.scope_of.get(node)
                binder = scope.binder(node.id) if scope else None
                if binder is not None and self.names.of(node) is None:
                    self.write(self.variable_key(binder, node.id), info)
        elif isinstance(node, ast.Attribute):
            store_attribute(self, node, info)
        elif isinstance(node, ast.Subscript):
            self.bind(node, info)

    def iterate(self, info: KindInfo) -> KindInfo:
        """What `for x in info` binds."""
        if info.classes and info.element is None and info.kind in (Kind.OTHER, Kind.DATASET, Kind.MODULE, Kind.LOADER):
            return iterate_object(self, info)
        return iterate(info)


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


def binary(left: KindInfo, right: KindInfo, op: ast.operator) -> KindInfo:
    """The kind of `left op right`."""
    a, b = left.kind, right.kind
    if a in TENSOR_KINDS or b in TENSOR_KINDS:
        if a is Kind.STRING:
            return STRING
        sure = a in TENSOR_KINDS and left.certain and not left.optional or b in TENSOR_KINDS and right.certain and not right.optional
        both = left.is_tensor or right.is_tensor
        info = TENSOR if left.dtype is None or left.dtype != right.dtype else KindInfo(Kind.TENSOR, dtype=left.dtype)
        if sure:
            return info
        return KindInfo(Kind.TENSOR, optional=True) if both else uncertain(info)
    if a is Kind.NUMBER and b is Kind.NUMBER:
        return left if left.dtype == right.dtype and not isinstance(op, ast.Div) else NUMBER
    if a is Kind.STRING and isinstance(op, (ast.Mod, ast.Add, ast.Mult)):
        return STRING
    if a is Kind.NDARRAY or b is Kind.NDARRAY:
        other = right if a is Kind.NDARRAY else left
        return NDARRAY if other.kind in (Kind.NDARRAY, Kind.NUMBER, Kind.SEQUENCE, Kind.OTHER) else UNKNOWN
    if a in (Kind.SEQUENCE, Kind.SIZE) and b in (Kind.SEQUENCE, Kind.SIZE):
        if left.items is not None and right.items is not None and isinstance(op, ast.Add):
            return sequence(items=(*left.items, *right.items))
        return sequence(join(iterate(left), iterate(right)))
    if isinstance(op, ast.Mult) and Kind.NUMBER in (a, b):
        for info in (left, right):
            if info.kind in (Kind.SEQUENCE, Kind.SIZE):
                return sequence(iterate(info))
            if info.kind is Kind.STRING:
                return STRING
    for info, other in ((left, right), (right, left)):
        if other.kind is Kind.NUMBER and (type(info) is Origin or info is BOTTOM):
            return info  # numbers, arrays and tensors stay what they are
        if type(info) is Origin and info.likely:
            return MAYBE_TENSOR
    if a is Kind.OTHER and b in (Kind.OTHER, Kind.NUMBER) or b is Kind.OTHER and a is Kind.NUMBER:
        return OTHER
    return BOTTOM if BOTTOM in (left, right) else UNKNOWN


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
    pairs = [*zip(positional[len(positional) - len(args.defaults) :], args.defaults, strict=True), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
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


_HANDLERS: dict[type, Callable[..., KindInfo]] = {
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
