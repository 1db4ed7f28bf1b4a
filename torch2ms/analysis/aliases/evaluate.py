"""The storages that an expression can share, in a state."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torch2ms.analysis.aliases.calls import call
from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.operations import ARRAY_VIEWS, PERHAPS_VIEWS, SPLITTING, VIEWS
from torch2ms.analysis.aliases.storage import NOTHING, OUTSIDE, Root, Sort, State, Value, union
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind

# kinds of values without storage
_LIGHT = (
    Kind.NUMBER,
    Kind.STRING,
    Kind.DEVICE,
    Kind.DTYPE,
    Kind.NONE,
    Kind.SIZE,
    Kind.MODULE_OBJECT,
    Kind.MODULE_CLASS,
    Kind.FUNCTION,
    Kind.GENERATOR,
)
_CONTAINERS = (Kind.SEQUENCE, Kind.MAPPING, Kind.MODULE, Kind.LOADER, Kind.DATASET, Kind.OPTIMIZER)


class Evaluator(Context):
    """Evaluates expressions of one function; the state it is given follows the effects."""

    def eval(self, node: ast.expr, state: State) -> Value:
        """What the value of an expression can share."""
        handler = _HANDLERS.get(type(node))
        if handler is None:
            return NOTHING
        value = handler(self, node, state)
        return NOTHING if value.roots and self.is_light(node) else value

    def is_light(self, node: ast.expr | ast.arg) -> bool:
        """Whether the value surely has no storage."""
        info = self.kinds.of(node)
        return info.certain and (info.kind in _LIGHT or info.kind is Kind.OTHER and info.cls is None)

    def bind(self, target: ast.expr, value: Value, state: State, source: ast.expr | None = None) -> None:
        """Assigns a value to a target."""
        if isinstance(target, ast.Name):
            if target.id in self.flow.shared:
                state.escape(value)
            self.forget(target.id, state)
            state.env[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, state, source)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, state.contain(target, [state.contents(value)]), state)
        elif isinstance(target, ast.Attribute):
            self._store_attribute(target, value, state)
        elif isinstance(target, ast.Subscript):
            container = self.eval(target.value, state)
            if self.kinds.of(target.value).kind not in (*TENSOR_KINDS, Kind.NDARRAY):
                state.put(container, value)

    def bind_items(self, target: ast.expr, source: ast.expr, value: Value, state: State) -> None:
        """Binds the target of a loop over `source`; `zip` and `enumerate` part by part."""
        if isinstance(source, ast.Call) and isinstance(target, (ast.Tuple, ast.List)) and not source.keywords:
            name = self.names.of(source.func)
            args = source.args
            if (
                name == "builtins.zip"
                and len(args) == len(target.elts)
                and not any(isinstance(a, ast.Starred) for a in args)
            ):
                for part, arg in zip(target.elts, args, strict=True):
                    self.bind_items(part, arg, self.eval(arg, state.copy()), state)
                return
            if name == "builtins.enumerate" and len(target.elts) == 2 and len(args) == 1:
                self.bind(target.elts[0], NOTHING, state)
                self.bind_items(target.elts[1], args[0], self.eval(args[0], state.copy()), state)
                return
        self.bind(target, self.items(value, source, state), state)

    def forget(self, name: str, state: State) -> None:
        """Drops the paths that start at a name which gets another object."""
        for path in [p for p in state.env if p.startswith(name + ".")]:
            del state.env[path]

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, state: State, source: ast.expr | None) -> None:
        if isinstance(source, (ast.Tuple, ast.List)) and len(source.elts) == len(target.elts):
            if not any(isinstance(e, ast.Starred) for e in (*source.elts, *target.elts)):
                values = [self.eval(e, state) for e in source.elts]
                for part, one, expr in zip(target.elts, values, source.elts, strict=True):
                    self.bind(part, one, state, expr)
                return
        separate = self._separate(source, value, state)
        for part in target.elts:
            if isinstance(part, ast.Starred):
                self.bind(part.value, state.contain(part, [self.items(value, source, state)]), state)
            elif separate is not None:
                self.bind(part, state.allocate(part) if separate is NOTHING else separate, state)
            else:
                self.bind(part, self.items(value, source, state), state)

    def _separate(self, source: ast.expr | None, value: Value, state: State) -> Value | None:
        """For a call that gives several tensors: NOTHING where each is new, the base where each is a view of it."""
        if not isinstance(source, ast.Call) or self.kinds.of(source).kind is not Kind.SEQUENCE or len(value.roots) != 1:
            return None
        root = next(iter(value.roots))
        held = state.heap.get(root)
        if held == frozenset({state.root(Sort.FRESH, source.func)}) and root.key is source:
            return NOTHING
        if held is not None and len(held) == 1 and _last_name(source.func) in SPLITTING:
            method = isinstance(source.func, ast.Attribute) and self.names.of(source.func) is None
            base = source.args[0] if source.args else None
            if method and isinstance(source.func, ast.Attribute):
                base = source.func.value
            return Value(held, base is not None and self.eval(base, state.copy()).exact)
        return None

    def items(self, value: Value, source: ast.expr | None, state: State) -> Value:
        """What iterating a value gives: rows of a tensor, or what a container holds."""
        info = self.kinds.of(source) if source is not None else None
        if info is not None and info.kind in (*TENSOR_KINDS, Kind.NDARRAY) and info.certain:
            return value
        contents = state.contents(value)
        if info is not None and info.kind in _CONTAINERS:
            return contents
        return Value(contents.roots | value.roots)

    def _store_attribute(self, target: ast.Attribute, value: Value, state: State) -> None:
        base = self.eval(target.value, state)
        if self.kinds.of(target.value).kind in TENSOR_KINDS:
            if target.attr == "data" and isinstance(target.value, ast.Name):
                state.env[target.value.id] = value
            elif target.attr == "data":
                state.escape(value)
            return
        state.put(base, value)
        path = dotted(target)
        for other in [p for p in state.env if p.endswith("." + target.attr) and p != path]:
            state.env[other] = state.env[other] | value
        if path is not None:
            state.env[path] = value


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


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
    inside = frozenset(r for r in state.contents(base).roots if not r.is_outside)
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
    if info.kind in _CONTAINERS and info.certain:
        return state.contain(node, [contents]) if isinstance(node.slice, ast.Slice) else contents
    return Value(base.roots | contents.roots)


def _operation(ev: Evaluator, node: ast.BinOp | ast.UnaryOp | ast.Compare, state: State) -> Value:
    operands = [ev.eval(part, state) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
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


_HANDLERS: dict[type, Callable[..., Value]] = {
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
