"""Runs the statements of a unit in order, carrying the kinds of its variables along."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from torch2ms.analysis.annotations import annotation_kind
from torch2ms.analysis.cells import Unit
from torch2ms.analysis.compound import run_class, run_for, run_function, run_if, run_match, run_try, run_while, run_with
from torch2ms.analysis.evaluate import Env, Evaluator
from torch2ms.analysis.lattice import BOTTOM, NONE, UNKNOWN, Kind, KindInfo, grown, join, mapping, sequence
from torch2ms.analysis.narrow import narrow
from torch2ms.analysis.operators import binary

if TYPE_CHECKING:
    from torch2ms.analysis.infer import Engine


class Executor(Evaluator):
    """One run of one unit."""

    def __init__(self, engine: Engine, unit: Unit, found: dict[ast.AST, KindInfo]) -> None:
        super().__init__(engine, unit, found)
        self.alive = True
        self._returns = BOTTOM
        self._yields = BOTTOM
        self._generator = False
        self.breaks: list[list[Env]] = []
        self.continues: list[list[Env]] = []
        self.inside: ast.AST = unit.node  # the class whose body runs, else the unit

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
        load = self.found[stmt] = self.eval(target)
        self.note_write(load)
        if load.kind is Kind.SEQUENCE and isinstance(stmt.op, ast.Add):
            info = grown(load, value, join(load.element, self.iterate(value))) if load.element is not None else load
        else:
            info = binary(load, value, stmt.op)
            if load.is_tensor and not load.optional and info.kind is Kind.TENSOR and info.dtype != load.dtype:
                info = replace(info, dtype=load.dtype)  # written in place
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
                and isinstance(self.inside, ast.ClassDef)
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
        if self.breaks:
            self.breaks[-1].append(self.env)
        self.alive = False

    def _continue(self, stmt: ast.Continue) -> None:
        if self.continues:
            self.continues[-1].append(self.env)
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
    ast.If: run_if,
    ast.For: run_for,
    ast.AsyncFor: run_for,
    ast.While: run_while,
    ast.With: run_with,
    ast.AsyncWith: run_with,
    ast.Try: run_try,
    ast.FunctionDef: run_function,
    ast.AsyncFunctionDef: run_function,
    ast.ClassDef: run_class,
    ast.Match: run_match,
    **({ast.TryStar: run_try} if hasattr(ast, "TryStar") else {}),
}
