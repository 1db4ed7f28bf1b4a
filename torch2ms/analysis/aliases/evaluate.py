"""The storages that an expression can share, in a state."""

from __future__ import annotations

import ast

from torch2ms.analysis.aliases.context import Context
from torch2ms.analysis.aliases.expressions import CONTAINERS, HANDLERS
from torch2ms.analysis.aliases.operations import SPLITTING
from torch2ms.analysis.aliases.storage import NOTHING, Sort, State, Value
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


class Evaluator(Context):
    """Evaluates expressions of one function; the state it is given follows the effects."""

    def eval(self, node: ast.expr, state: State) -> Value:
        """What the value of an expression can share."""
        handler = HANDLERS.get(type(node))
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
        if info is not None and info.kind in CONTAINERS:
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
