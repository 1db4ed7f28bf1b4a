"""Runs compound statements: branches, loops, try, with, match, and the bodies of classes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from torch2ms.analysis.evaluate import Env
from torch2ms.analysis.expressions import note_defaults
from torch2ms.analysis.lattice import OTHER, UNKNOWN, Kind, KindInfo, join
from torch2ms.analysis.narrow import narrow
from torch2ms.analysis.values import value_of

if TYPE_CHECKING:
    from torch2ms.analysis.execute import Executor

_MOST_ROUNDS = 4


def run_if(ex: Executor, stmt: ast.If) -> None:
    """Runs an if statement."""
    ex.eval(stmt.test)
    before, ends = ex.env, []

    def path(body: list[ast.stmt], holds: bool) -> bool:
        ex.env, ex.alive = dict(before), True
        narrow(ex, stmt.test, holds)
        ex.block(body)
        if ex.alive:
            ends.append(ex.env)
        return ex.alive

    if _is_main(stmt.test):
        path(stmt.body, True)
        ends.append(before)
    else:
        ex.branch([lambda: path(stmt.body, True), lambda: path(stmt.orelse, False)])
    ex.merge(ends)


def run_for(ex: Executor, stmt: ast.For | ast.AsyncFor) -> None:
    """Runs a for loop."""
    element = ex.iterate(ex.eval(stmt.iter))
    _loop(ex, stmt, lambda: ex.bind(stmt.target, element), endless=False)


def run_while(ex: Executor, stmt: ast.While) -> None:
    """Runs a while loop."""
    endless = isinstance(stmt.test, ast.Constant) and bool(stmt.test.value)

    def test() -> None:
        ex.eval(stmt.test)
        narrow(ex, stmt.test, True)

    _loop(ex, stmt, test, endless)


def _loop(ex: Executor, stmt: ast.For | ast.AsyncFor | ast.While, enter: Callable[[], None], endless: bool) -> None:
    """Runs the body until the kinds at its head stay the same."""
    head = ex.env
    outer_missed, ex.missed = ex.missed, set()
    for _ in range(_MOST_ROUNDS):
        ex.breaks.append([])
        ex.continues.append([])
        ex.env = dict(head)
        enter()
        ex.block(stmt.body)
        again = [*([ex.env] if ex.alive else []), *ex.continues.pop()]
        breaks = ex.breaks.pop()
        ex.merge([head, *again])
        grown, head = _grown(ex, head), ex.env
        if not grown:
            break
    ex.missed |= outer_missed
    ex.env, ex.alive = dict(head), True
    if endless:
        ex.alive = False
    else:
        ex.block(stmt.orelse)
    ex.merge([*([ex.env] if ex.alive else []), *breaks])


def _grown(ex: Executor, head: Env) -> bool:
    """Whether a round brought kinds that the next round will see."""
    for name, info in ex.env.items():
        old = head.get(name)
        if old is None:
            if name in ex.missed:
                ex.missed.discard(name)
                return True
        elif old is not info and old != info:
            return True
    return False


def run_with(ex: Executor, stmt: ast.With | ast.AsyncWith) -> None:
    """Runs a with statement."""
    for item in stmt.items:
        info = ex.eval(item.context_expr)
        if item.optional_vars is not None:
            ex.bind(item.optional_vars, _entered(ex, info))
    ex.block(stmt.body)


def _entered(ex: Executor, info: KindInfo) -> KindInfo:
    """What `with info as x` binds."""
    if info.cls == "contextlib.contextmanager":
        return info.element if info.element is not None else UNKNOWN
    if info.kind is Kind.OTHER and info.cls:
        found = ex.engine.call_method(ex, info.cls, "__enter__", [])
        return found if found is not None else info
    return info


def run_try(ex: Executor, stmt: ast.Try) -> None:
    """Runs a try statement."""
    before, shown = dict(ex.env), dict(ex.shown)
    ex.branches += 1
    ex.attempts.append({})
    ex.block(stmt.body)
    on_the_way = ex.attempts.pop()
    after = [ex.env] if ex.alive else []
    stopped = {**before, **{name: join(before.get(name, info), info) for name, info in on_the_way.items()}}
    reached = [stopped, *after]
    if ex.alive:
        ex.block(stmt.orelse)
    ends = [ex.env] if ex.alive else []
    for handler in stmt.handlers:
        ex.merge(reached)
        if handler.type is not None:
            ex.eval(handler.type)
        if handler.name:
            ex.store(handler.name, OTHER)
        ex.block(handler.body)
        ends += [ex.env] if ex.alive else []
    ex.branches -= 1
    ex.shown = shown
    ex.merge(ends)
    if stmt.finalbody:
        dead = not ex.alive
        if dead:
            ex.merge(reached)
        ex.block(stmt.finalbody)
        ex.alive = ex.alive and not dead


def run_function(ex: Executor, stmt: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Runs a def: its decorators and defaults."""
    for decorator in stmt.decorator_list:
        ex.eval(decorator)
    unit = ex.engine.unit_of(stmt)
    note_defaults(ex, unit)
    ex.store(stmt.name, KindInfo(Kind.CALLABLE, cls=unit.qualified))


def run_class(ex: Executor, stmt: ast.ClassDef) -> None:
    """Runs the body of a class in place."""
    for node in (*stmt.decorator_list, *stmt.bases, *(k.value for k in stmt.keywords)):
        ex.eval(node)
    cls = ex.names.qualified(stmt)
    outer, published = ex.env, ex.unit.publishes
    outer_node, ex.inside = ex.inside, stmt
    ex.env, ex.unit.publishes = dict(outer), False
    ex.block(stmt.body)
    for name, info in ex.env.items():
        if outer.get(name) is not info and "." not in name and not _is_definition(ex, name, stmt):
            ex.write(("attribute", cls, name), info)
    ex.env, ex.unit.publishes, ex.alive = outer, published, True
    ex.inside = outer_node
    ex.store(stmt.name, value_of(ex, cls))


def _is_definition(ex: Executor, name: str, stmt: ast.ClassDef) -> bool:
    nodes = ex.names.table.scope_of[stmt].bindings.get(name, [])
    return all(isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) for n in nodes)


def run_match(ex: Executor, stmt: ast.Match) -> None:
    """Runs a match statement."""
    subject = ex.eval(stmt.subject)
    before, ends, shown = ex.env, [], dict(ex.shown)
    ex.branches += 1
    for case in stmt.cases:
        ex.env, ex.alive = dict(before), True
        for part in ast.walk(case.pattern):
            if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name:
                ex.store(part.name, subject if part is case.pattern else UNKNOWN)
        if case.guard is not None:
            ex.eval(case.guard)
        ex.block(case.body)
        ends += [ex.env] if ex.alive else []
    ex.branches -= 1
    ex.shown = shown
    ex.merge([before, *ends])


def _is_main(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"
