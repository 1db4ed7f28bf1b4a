"""Whose parameters an optimizer or a clipped set holds, read from how it was made."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.training.complements import whole_modules

_LISTS = frozenset("builtins.list builtins.tuple builtins.iter itertools.chain builtins.set".split())
_LISTERS = ("parameters", "trainable_params")
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Holding:
    """The modules (or tensors) that parameters come from; `whole`: they are all parameters of those, no fewer."""

    roots: frozenset[str]
    whole: bool

    def __or__(self, other: Holding) -> Holding:
        return Holding(self.roots | other.roots, self.whole and other.whole)

    def each(self) -> list[Holding]:
        """One for each root."""
        return [Holding(frozenset({root}), self.whole) for root in sorted(self.roots)]


class Owners:
    """Answers for one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def optimizer(self, expr: ast.expr, depth: int = 0) -> Holding | None:
        """What an optimizer was given, as paths of the function around `expr`; None where that cannot be seen."""
        if depth > _DEPTH:
            return None
        if isinstance(expr, ast.Call):
            return self._made(expr, depth)
        values = self._values(expr)
        if values is None:
            return self._from_callers(expr, depth)
        found = [self._made(value, depth) for value in values]
        if not found or any(f is None or f != found[0] for f in found):
            return None
        return found[0] if all(self._is_seen(value, expr, found[0]) for value in values) else None

    def path(self, node: ast.expr) -> str | None:
        """The path of an object, under one name where it has two: `model = self.model`, `self.model = model`."""
        where = dotted(node)
        while isinstance(node, ast.Attribute):
            node = node.value
        if where is None or not isinstance(node, ast.Name):
            return where
        rest = where[len(node.id) :]
        scope = self.facts.names.binder(node)
        nodes = scope.bindings.get(node.id, []) if scope else []
        stmt = self.facts.parent(nodes[0]) if len(nodes) == 1 else None
        if isinstance(stmt, ast.Assign) and stmt.targets == nodes and dotted(stmt.value) not in (None, node.id):
            return (self.path(stmt.value) or "") + rest
        held = self._attribute_of(nodes[0]) if len(nodes) == 1 and isinstance(nodes[0], ast.arg) else None
        return held + rest if held else where

    def is_loop_variable(self, node: ast.expr) -> bool:
        """Whether a name runs over many objects."""
        return bool(self.loops_over(node))

    def loops_over(self, node: ast.expr) -> list[ast.AST]:
        """The loops and comprehensions whose variable a name is."""
        found: list[ast.AST] = []
        scope = self.facts.names.binder(node) if isinstance(node, ast.Name) else None
        nodes = scope.bindings.get(node.id, []) if scope and isinstance(node, ast.Name) else []
        for target in nodes:
            outer = self.facts.parent(target)
            while isinstance(outer, (ast.Tuple, ast.List)):
                outer = self.facts.parent(outer)
            if isinstance(outer, (ast.For, ast.AsyncFor, ast.comprehension)):
                found.append(outer)
        return found

    def _attribute_of(self, argument: ast.arg) -> str | None:
        """`self.model` for an argument that a method keeps under that name."""
        function = self.facts.parent(self.facts.parent(argument) or argument)
        pairs = [
            pair
            for node in walk(function or argument)
            if isinstance(node, ast.Assign) and len(node.targets) == 1
            for pair in single_assignments(node.targets[0], node.value)
        ]
        found = [dotted(target) for target, value in pairs if isinstance(value, ast.Name) and value.id == argument.arg]
        kept = [where for where in found if where and where.startswith("self.")]
        return kept[0] if len(kept) == 1 else None

    def _is_seen(self, value: ast.expr, expr: ast.expr, holding: Holding | None) -> bool:
        """Whether the paths of a holding, as they stand where it was made, mean the same where it is used."""
        if holding is None or self.facts.function(value) is self.facts.function(expr):
            return True
        return all(root.startswith("self.") or self._is_global(root, value) for root in holding.roots)

    def _is_global(self, root: str, node: ast.AST) -> bool:
        """Whether the first name of a path is a global variable where a node stands."""
        name = root.partition(".")[0]
        scope = self.facts.names.scope(node).binder(name)
        return scope is self.facts.names.table.module

    def parameters(self, expr: ast.expr, depth: int = 0) -> Holding | None:
        """What a set of parameters holds: `m.parameters()`, `[w, b]`, `chain(a.parameters(), b.parameters())`."""
        if depth > _DEPTH:
            return None
        match expr:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _LISTERS and not expr.args:
                where = self.path(owner)
                return Holding(frozenset({where}), True) if where else None
            case ast.Call() if self.facts.names.of(expr.func) in _LISTS:
                return self._union(expr.args, depth)
            case ast.List() | ast.Tuple():
                return self._union(expr.elts, depth, whole_modules(self.facts, self.path, expr.elts))
            case ast.Dict():
                params = [
                    v
                    for k, v in zip(expr.keys, expr.values, strict=True)
                    if isinstance(k, ast.Constant) and k.value == "params"
                ]
                return self._union(params, depth) if params else None
            case ast.Starred():
                return self.parameters(expr.value, depth)
            case ast.BinOp(op=ast.Add()):
                return self._union([expr.left, expr.right], depth)
            case ast.Name() | ast.Attribute():
                return self._named(expr, depth)
            case _ if (every := _all_trainable(expr)) is not None and not self._unfreezes():
                return self.parameters(every, depth + 1)
            case _:
                return self._mentioned(expr)

    def _union(self, exprs: list[ast.expr], depth: int, complete: frozenset[str] = frozenset()) -> Holding | None:
        """What some sets hold together; `complete`: modules of which they leave out nothing between them."""
        found = [h for e in exprs if (h := self.parameters(e, depth + 1)) is not None]
        if not found or len(found) < len(exprs):
            return None
        whole = all(h.whole or h.roots <= complete for h in found)
        return Holding(frozenset().union(*(h.roots for h in found)), whole)

    def _named(self, expr: ast.expr, depth: int) -> Holding | None:
        where = dotted(expr)
        if where is None:
            return None
        kind = self.facts.kinds.of(expr).kind
        if kind in (Kind.TENSOR, Kind.PARAMETER):
            return Holding(frozenset({where}), True)
        values = self._values(expr)
        if not values:
            return None
        found = [self.parameters(v, depth + 1) for v in values]
        return found[0] if found[0] is not None and all(f == found[0] for f in found) else None

    def _unfreezes(self) -> bool:
        """Whether the file may turn on the gradients of parameters, also of those that an optimizer passed over."""
        for node in self.facts.names.parents:
            match node:
                case ast.Attribute(attr="requires_grad", ctx=ast.Store()):
                    stmt = self.facts.parent(node)
                    off = isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Constant) and not stmt.value.value
                    if not off:
                        return True
                case ast.Call(func=ast.Attribute(attr="requires_grad_")):
                    given = [*node.args, *(k.value for k in node.keywords)]
                    if not (len(given) == 1 and isinstance(given[0], ast.Constant) and not given[0].value):
                        return True
        return False

    def _mentioned(self, expr: ast.expr) -> Holding | None:
        """Any other expression: a part of what the modules in it hold, where it names nothing else."""
        roots = set()
        for node in walk(expr):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("parameters", "named_parameters")
                and (where := self.path(node.value))
            ):
                roots.add(where)
        return Holding(frozenset(roots), False) if roots else None

    def _made(self, value: ast.expr, depth: int) -> Holding | None:
        """The optimizer that an expression makes: its first argument, or a method of a module that makes it."""
        if not isinstance(value, ast.Call):
            return self.optimizer(value, depth + 1) if isinstance(value, (ast.Name, ast.Attribute)) else None
        func = value.func
        if (
            isinstance(func, ast.Attribute)
            and self.facts.kinds.of(func.value).kind is Kind.MODULE
            and self.facts.names.of(func) is None
        ):
            where = self.path(func.value)
            return Holding(frozenset({where}), False) if where and where != "self" else None
        given = [k.value for k in value.keywords if k.arg == "params"] + value.args[:1]
        return self.parameters(given[0], depth + 1) if given else None

    def _values(self, expr: ast.expr) -> list[ast.expr] | None:
        """The expressions assigned to a name or to an attribute of self; None where it has another origin."""
        if isinstance(expr, ast.Name):
            scope = self.facts.names.binder(expr)
            nodes = scope.bindings.get(expr.id, []) if scope else []
            return self._assigned(nodes)
        if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name) and expr.value.id == "self":
            cls = self.facts.enclosing_class(expr)
            return self._assigned([n for n in walk(cls) if _stores(n, expr)]) if cls else None
        return None

    def _assigned(self, nodes: list[ast.AST]) -> list[ast.expr] | None:
        values = []
        for node in nodes:
            stmt = self.facts.parent(node)
            if not isinstance(stmt, (ast.Assign, ast.AnnAssign)) or stmt.value is None:
                return None
            if isinstance(stmt.value, ast.Constant) and stmt.value.value is None:
                continue  # `optimizer = None` before the real one
            values.append(stmt.value)
        return values or None

    def _from_callers(self, expr: ast.expr, depth: int) -> Holding | None:
        """A parameter of a function: what every call site in this file passes, in the function's own names."""
        function = self.facts.function(expr)
        if not isinstance(expr, ast.Name) or not isinstance(function, ast.FunctionDef):
            return None
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        if expr.id not in names:
            return None
        found = [self._passed(call, names, expr.id, depth) for call in self._calls(function)]
        return found[0] if found and found[0] is not None and all(f == found[0] for f in found) else None

    def _calls(self, function: ast.FunctionDef) -> list[ast.Call]:
        calls = []
        for node in self.facts.names.parents:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function.name:
                binder = self.facts.names.binder(node.func)
                if binder is not None and binder.bindings.get(function.name) == [function]:
                    calls.append(node)
        return calls

    def _passed(self, call: ast.Call, names: list[str], wanted: str, depth: int) -> Holding | None:
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        given = dict(zip(names, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}
        if wanted not in given:
            return None
        holding = self.optimizer(given[wanted], depth + 1)
        if holding is None:
            return None
        local = {self.path(value): name for name, value in given.items() if dotted(value)}
        # a module that the function does not get as an argument keeps its name where that is a global
        if any(root not in local and not self._is_global(root, call) for root in holding.roots):
            return None
        return Holding(frozenset(local.get(root, root) for root in holding.roots), holding.whole)


def _all_trainable(expr: ast.expr) -> ast.expr | None:
    """`model.parameters()` in `filter(lambda p: p.requires_grad, model.parameters())` and `[p for p in ... if ...]`."""
    match expr:
        case ast.Call(func=ast.Name(id="filter"), args=[ast.Lambda(args=taken, body=test), every], keywords=[]):
            names = [a.arg for a in taken.args]
        case (
            ast.ListComp(
                elt=ast.Name(id=name),
                generators=[ast.comprehension(target=ast.Name(id=target), iter=every, ifs=[test])],
            )
            | ast.GeneratorExp(
                elt=ast.Name(id=name),
                generators=[ast.comprehension(target=ast.Name(id=target), iter=every, ifs=[test])],
            )
        ) if name == target:
            names = [target]
        case _:
            return None
    return every if len(names) == 1 and dotted(test) == f"{names[0]}.requires_grad" else None


def single_assignments(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The single assignments in one: `a, b = x, y`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _stores(node: ast.AST, wanted: ast.Attribute) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and dotted(node) == dotted(wanted)
