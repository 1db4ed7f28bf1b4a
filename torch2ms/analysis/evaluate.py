"""The kind of an expression in an environment: everything but attributes and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.arguments import Arguments
from torch2ms.analysis.attributes import attribute_of, store_attribute
from torch2ms.analysis.calls import call_value
from torch2ms.analysis.cells import Key, Unit
from torch2ms.analysis.expressions import HANDLERS
from torch2ms.analysis.items import iterate_object, state_key, with_item
from torch2ms.analysis.lattice import (
    TENSOR,
    UNKNOWN,
    Kind,
    KindInfo,
    Origin,
    join,
    sequence,
)
from torch2ms.analysis.module_calls import apply_function
from torch2ms.analysis.python_kinds import iterate
from torch2ms.analysis.torch_objects import OPTIMIZER_STATE

if TYPE_CHECKING:
    from torch2ms.analysis.infer import Engine

Env = dict[str, KindInfo]
_WRITTEN = (Kind.TENSOR, Kind.PARAMETER, Kind.UNKNOWN)


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
        self.attempts: list[Env] = []  # for each try body that runs, what names were given in it
        self.branches = 0  # how deep in conditional code
        self.shown: dict[Origin, KindInfo] = {}  # what uses on the path to here show of parameters

    def eval(self, node: ast.expr) -> KindInfo:
        """The kind of an expression here; notes it."""
        handler = HANDLERS.get(type(node))
        info = handler(self, node) if handler is not None else UNKNOWN
        self.found[node] = info
        return info

    def call(self, callee: KindInfo, arguments: Arguments) -> KindInfo:
        """What calling a value gives."""
        return call_value(self, callee, arguments)

    def attribute(self, info: KindInfo, attr: str) -> KindInfo:
        """The kind of an attribute of such a value."""
        return attribute_of(self, info, attr)

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
        for attempt in self.attempts:
            attempt[name] = join(attempt[name], info) if name in attempt else info
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
