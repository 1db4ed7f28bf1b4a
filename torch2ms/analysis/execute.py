"""Runs the statements of a unit in order, carrying the kinds of its variables along."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.annotations import annotation_kind
from torch2ms.analysis.cells import Unit
from torch2ms.analysis.evaluate import Env, Evaluator
from torch2ms.analysis.expressions import note_defaults
from torch2ms.analysis.lattice import BOTTOM, NONE, OTHER, UNKNOWN, Kind, KindInfo, join, mapping, sequence
from torch2ms.analysis.narrow import narrow
from torch2ms.analysis.operators import binary
from torch2ms.analysis.values import value_of

if TYPE_CHECKING:
    from torch2ms.analysis.infer import Engine

_MOST_ROUNDS = 4


class Executor(Evaluator):
    """One run of one unit."""

    def __init__(self, engine: Engine, unit: Unit, found: dict[ast.AST, KindInfo]) -> None:
        super().__init__(engine, unit, found)
        self.alive = True
        self._returns = BOTTOM
        self._yields = BOTTOM
        self._generator = False
        self._breaks: list[list[Env]] = []
        self._continues: list[list[Env]] = []
        self._inside: ast.AST = unit.node  # the class whose body runs, else the unit

    def run(self) -> None:
        """Runs the unit."""
        node = self.unit.node
        if not isinstance(node, ast.Module):
            self._parameters(node.args)
        if isinstance(node, ast.Lambda):
            self._returns = self.eval(node.body)
            return
        self.block(node.body)
        if self.alive and not isinstance(node, ast.Module):
            self._returns = join(self._returns, NONE)

    def result(self) -> KindInfo:
        """What a call of the unit gives."""
        if self.unit.context:
            return KindInfo(Kind.OTHER, cls="contextlib.contextmanager", element=self._yields)
        return sequence(self._yields) if self._generator else self._returns

    def yielded(self, info: KindInfo) -> None:
        """Notes a yield."""
        self._generator = True
        self._yields = join(self._yields, info)

    def _parameters(self, args: ast.arguments) -> None:
        unit, engine = self.unit, self.engine
        positional = [*args.posonlyargs, *args.args]
        bound = 1 if unit.owner is not None and unit.binding in ("self", "class") and positional else 0
        if bound and unit.owner is not None:
            info = engine.instance(unit.owner) if unit.binding == "self" else self._class_value(unit.owner)
            self.store(positional[0].arg, info)
        for arg in [*positional[bound:], *args.kwonlyargs]:
            info = self.found[arg] = engine.parameter(unit, arg)
            self.store(arg.arg, info)
        if unit.owner is not None and self.project.is_function(unit.owner) and positional and self._takes_context():
            self.store(positional[0].arg, KindInfo(Kind.OTHER, cls=f"{unit.owner}.<ctx>"))
        if args.vararg is not None:
            self.store(args.vararg.arg, sequence(self._spread(args.vararg)))
        if args.kwarg is not None:
            self.store(args.kwarg.arg, mapping(self._spread(args.kwarg)))

    def _spread(self, arg: ast.arg) -> KindInfo:
        annotated = annotation_kind(arg.annotation, self.names, self.project)
        if annotated.kind is not Kind.UNKNOWN:
            return annotated
        passed = self.read(("parameter", self.unit.qualified, arg.arg))
        return UNKNOWN if passed is BOTTOM else passed

    def _takes_context(self) -> bool:
        name = self.unit.qualified.rpartition(".")[2]
        has_setup = bool(self.unit.owner and self.engine.definers(self.unit.owner, "setup_context"))
        return name == "backward" or name == "setup_context" or name == "forward" and not has_setup

    def _class_value(self, cls: str) -> KindInfo:
        kind = Kind.MODULE_CLASS if self.project.is_module(cls) else Kind.CALLABLE
        return KindInfo(kind, cls=cls)

    def block(self, body: list[ast.stmt]) -> None:
        """Runs statements until one leaves."""
        for stmt in body:
            if not self.alive:
                return
            handler = _HANDLERS.get(type(stmt))
            if handler is not None:
                handler(self, stmt)

    def merge(self, envs: list[Env]) -> None:
        """Goes on with the join of environments; with none the code here is not reached."""
        if not envs:
            self.alive = False
            return
        self.alive = True
        result = dict(envs[0])
        for env in envs[1:]:
            for name, info in env.items():
                old = result.get(name)
                if old is not info:
                    result[name] = info if old is None else join(old, info)
            for path in [p for p in result if "." in p and p not in env]:
                del result[path]
        for path in [p for p in result if "." in p and any(p not in env for env in envs)]:
            del result[path]
        self.env = result

    def _expr(self, stmt: ast.Expr) -> None:
        self.eval(stmt.value)

    def _assign(self, stmt: ast.Assign) -> None:
        info = self.eval(stmt.value)
        for target in stmt.targets:
            self.bind(target, info)

    def _aug_assign(self, stmt: ast.AugAssign) -> None:
        target, value = stmt.target, self.eval(stmt.value)
        load = self.eval(target)
        self.note_write(load)
        if load.kind is Kind.SEQUENCE and isinstance(stmt.op, ast.Add):
            info = sequence(join(load.element, self.iterate(value))) if load.element is not None else load
        else:
            info = binary(load, value, stmt.op)
        if isinstance(target, ast.Subscript):
            self.found[target] = load
            if load.kind is not info.kind:
                self.bind(target, info)
        else:
            self.bind(target, info)

    def _ann_assign(self, stmt: ast.AnnAssign) -> None:
        annotated = annotation_kind(stmt.annotation, self.names, self.project)
        if stmt.value is None:
            if (
                isinstance(stmt.target, ast.Name)
                and annotated.kind is not Kind.UNKNOWN
                and isinstance(self._inside, ast.ClassDef)
            ):
                self.store(stmt.target.id, annotated)
            return
        info = self.eval(stmt.value)
        if annotated.kind is not Kind.UNKNOWN and (info.kind is Kind.UNKNOWN or info is NONE):
            info = annotated
        self.bind(stmt.target, info)

    def _return(self, stmt: ast.Return) -> None:
        self._returns = join(self._returns, self.eval(stmt.value) if stmt.value is not None else NONE)
        self.alive = False

    def _raise(self, stmt: ast.Raise) -> None:
        for part in (stmt.exc, stmt.cause):
            if part is not None:
                self.eval(part)
        self.alive = False

    def _break(self, stmt: ast.Break) -> None:
        if self._breaks:
            self._breaks[-1].append(self.env)
        self.alive = False

    def _continue(self, stmt: ast.Continue) -> None:
        if self._continues:
            self._continues[-1].append(self.env)
        self.alive = False

    def _assert(self, stmt: ast.Assert) -> None:
        self.eval(stmt.test)
        if stmt.msg is not None:
            self.eval(stmt.msg)
        narrow(self, stmt.test, True)

    def _delete(self, stmt: ast.Delete) -> None:
        for target in stmt.targets:
            if isinstance(target, ast.Name):
                self.env.pop(target.id, None)
                self.forget(target.id)
            elif isinstance(target, ast.Subscript):
                self.eval(target.value)
                self.eval(target.slice)

    def _if(self, stmt: ast.If) -> None:
        self.eval(stmt.test)
        before, ends = self.env, []

        def path(body: list[ast.stmt], holds: bool) -> bool:
            self.env, self.alive = dict(before), True
            narrow(self, stmt.test, holds)
            self.block(body)
            if self.alive:
                ends.append(self.env)
            return self.alive

        if _is_main(stmt.test):
            path(stmt.body, True)
            ends.append(before)
        else:
            self.branch([lambda: path(stmt.body, True), lambda: path(stmt.orelse, False)])
        self.merge(ends)

    def _for(self, stmt: ast.For | ast.AsyncFor) -> None:
        element = self.iterate(self.eval(stmt.iter))
        self._loop(stmt, lambda: self.bind(stmt.target, element), endless=False)

    def _while(self, stmt: ast.While) -> None:
        endless = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)

        def test() -> None:
            self.eval(stmt.test)
            narrow(self, stmt.test, True)

        self._loop(stmt, test, endless)

    def _loop(self, stmt: ast.For | ast.AsyncFor | ast.While, enter: Callable[[], None], endless: bool) -> None:
        """Runs the body until the kinds at its head stay the same."""
        head = self.env
        outer_missed, self.missed = self.missed, set()
        for _ in range(_MOST_ROUNDS):
            self._breaks.append([])
            self._continues.append([])
            self.env = dict(head)
            enter()
            self.block(stmt.body)
            again = [*([self.env] if self.alive else []), *self._continues.pop()]
            breaks = self._breaks.pop()
            self.merge([head, *again])
            grown, head = self._grown(head), self.env
            if not grown:
                break
        self.missed |= outer_missed
        self.env, self.alive = dict(head), True
        if endless:
            self.alive = False
        else:
            self.block(stmt.orelse)
        self.merge([*([self.env] if self.alive else []), *breaks])

    def _grown(self, head: Env) -> bool:
        """Whether a round brought kinds that the next round will see."""
        for name, info in self.env.items():
            old = head.get(name)
            if old is None:
                if name in self.missed:
                    self.missed.discard(name)
                    return True
            elif old is not info and old != info:
                return True
        return False

    def _with(self, stmt: ast.With | ast.AsyncWith) -> None:
        for item in stmt.items:
            info = self.eval(item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, self._entered(info))
        self.block(stmt.body)

    def _entered(self, info: KindInfo) -> KindInfo:
        """What `with info as x` binds."""
        if info.cls == "contextlib.contextmanager":
            return info.element if info.element is not None else UNKNOWN
        if info.kind is Kind.OTHER and info.cls:
            found = self.engine.call_method(self, info.cls, "__enter__", [])
            return found if found is not None else info
        return info

    def _try(self, stmt: ast.Try) -> None:
        before, shown = dict(self.env), dict(self.shown)
        self.branches += 1
        self.block(stmt.body)
        after = [self.env] if self.alive else []
        reached = [before, *after]
        if self.alive:
            self.block(stmt.orelse)
        ends = [self.env] if self.alive else []
        for handler in stmt.handlers:
            self.merge(reached)
            if handler.type is not None:
                self.eval(handler.type)
            if handler.name:
                self.store(handler.name, OTHER)
            self.block(handler.body)
            ends += [self.env] if self.alive else []
        self.branches -= 1
        self.shown = shown
        self.merge(ends)
        if stmt.finalbody:
            dead = not self.alive
            if dead:
                self.merge(reached)
            self.block(stmt.finalbody)
            self.alive = self.alive and not dead

    def _function(self, stmt: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in stmt.decorator_list:
            self.eval(decorator)
        unit = self.engine.unit_of(stmt)
        note_defaults(self, unit)
        self.store(stmt.name, KindInfo(Kind.CALLABLE, cls=unit.qualified))

    def _class(self, stmt: ast.ClassDef) -> None:
        for node in (*stmt.decorator_list, *stmt.bases, *(k.value for k in stmt.keywords)):
            self.eval(node)
        cls = self.names.qualified(stmt)
        outer, published = self.env, self.unit.publishes
        outer_node, self._inside = self._inside, stmt
        self.env, self.unit.publishes = dict(outer), False
        self.block(stmt.body)
        for name, info in self.env.items():
            if outer.get(name) is not info and "." not in name and not self._is_definition(name, stmt):
                self.write(("attribute", cls, name), info)
        self.env, self.unit.publishes, self.alive = outer, published, True
        self._inside = outer_node
        self.store(stmt.name, value_of(self, cls))

    def _is_definition(self, name: str, stmt: ast.ClassDef) -> bool:
        nodes = self.names.table.scope_of[stmt].bindings.get(name, [])
        return all(isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) for n in nodes)

    def _match(self, stmt: ast.Match) -> None:
        subject = self.eval(stmt.subject)
        before, ends, shown = self.env, [], dict(self.shown)
        self.branches += 1
        for case in stmt.cases:
            self.env, self.alive = dict(before), True
            for part in ast.walk(case.pattern):
                if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name:
                    self.store(part.name, subject if part is case.pattern else UNKNOWN)
            if case.guard is not None:
                self.eval(case.guard)
            self.block(case.body)
            ends += [self.env] if self.alive else []
        self.branches -= 1
        self.shown = shown
        self.merge([before, *ends])


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


_HANDLERS: dict[type, Callable[..., None]] = {
    ast.Expr: Executor._expr,
    ast.Assign: Executor._assign,
    ast.AugAssign: Executor._aug_assign,
    ast.AnnAssign: Executor._ann_assign,
    ast.Return: Executor._return,
    ast.Raise: Executor._raise,
    ast.Break: Executor._break,
    ast.Continue: Executor._continue,
    ast.Assert: Executor._assert,
    ast.Delete: Executor._delete,
    ast.If: Executor._if,
    ast.For: Executor._for,
    ast.AsyncFor: Executor._for,
    ast.While: Executor._while,
    ast.With: Executor._with,
    ast.AsyncWith: Executor._with,
    ast.Try: Executor._try,
    ast.FunctionDef: Executor._function,
    ast.AsyncFunctionDef: Executor._function,
    ast.ClassDef: Executor._class,
    ast.Match: Executor._match,
    **({ast.TryStar: Executor._try} if hasattr(ast, "TryStar") else {}),
}
