"""Random programs run step by step: what they read, write and pass through must agree with their flow."""

from __future__ import annotations

import ast
import copy
import textwrap
from collections.abc import Callable, Iterator

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.analysis.programs import facts
from torch2ms.analysis.flow import Flow

_NAMES = ("a", "b", "c")
_MOST_STEPS = 300


@st.composite
def programs(draw: Callable[..., object]) -> str:
    """A function `f(a, coin)` of nested statements; `coin()` decides every branch at random."""

    def simple(in_loop: bool) -> str:
        x, y = draw(st.sampled_from(_NAMES)), draw(st.sampled_from(_NAMES))
        forms = [
            f"{x} = {y} + 1",
            f"{x} = 3",
            f"{x} += 1",
            f"use({x})",
            f"{x}, {y} = {y}, 4",
            f"[{x} for {x} in range({y} % 2)]",
            f"del {x}",
        ]
        forms += [f"({x} := {y})", f"coin() and ({x} := 2)", "return", "raise ValueError", "pass"]
        forms += ["break", "continue", "continue", "break"] if in_loop else []
        return str(draw(st.sampled_from(forms)))

    def block(depth: int, in_loop: bool) -> Iterator[str]:
        for _ in range(draw(st.integers(1, 3))):
            form = draw(st.sampled_from("sssss" + ("ifwtu" if depth < 3 else "")))
            nested = lambda loop=in_loop: textwrap.indent("\n".join(block(depth + 1, loop)), "    ")  # noqa: E731
            if form == "s":
                yield simple(in_loop)
            elif form == "i":
                yield "if coin():\n" + nested() + ("\nelse:\n" + nested() if draw(st.booleans()) else "")
            elif form == "f":
                target = draw(st.sampled_from(_NAMES))
                yield (
                    f"for {target} in spin():\n"
                    + nested(True)
                    + ("\nelse:\n" + nested() if draw(st.booleans()) else "")
                )
            elif form == "w":
                yield f"while {draw(st.sampled_from(['coin()', 'True']))}:\n" + nested(True)
            elif form == "t":
                yield "try:\n" + nested() + "\nexcept ValueError:\n" + nested()
            else:
                yield "try:\n" + nested() + "\nfinally:\n" + nested()

    body = "\n".join(block(0, False))
    return "def f(a, coin, spin, use):\n    b = 1\n" + textwrap.indent(body, "    ") + "\n    use(0)\n"


class _Steps(ast.NodeTransformer):
    """Makes a program tell what it does: `step(n)` before each statement, `read(name, value)`, `wrote(name)`."""

    def __init__(self, numbers: dict[tuple[int, int], int]) -> None:
        self._numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _NAMES and isinstance(node.ctx, ast.Load):
            return _call("read", node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self.visit(node.value)
        return _call("wrote", node, node.target.id)

    def generic_block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for stmt in block:
            number = self._numbers[stmt.lineno, stmt.col_offset]
            written = _targets(stmt)
            found.append(ast.parse(f"step({number})").body[0])
            if isinstance(stmt, ast.AugAssign):
                found.append(ast.parse(f"read({stmt.target.id!r}, {stmt.target.id})").body[0])
            for field in ("body", "orelse", "finalbody"):
                if getattr(stmt, field, None) and not isinstance(stmt, ast.Expr):
                    setattr(stmt, field, self.generic_block(getattr(stmt, field)))
            for handler in getattr(stmt, "handlers", []):
                handler.body = self.generic_block(handler.body)
            if isinstance(stmt, ast.For):
                stmt.iter = self.visit(stmt.iter)
                stmt.body = [*ast.parse(f"at({number})\nwrote(0, {stmt.target.id!r})").body, *stmt.body]
            elif isinstance(stmt, (ast.If, ast.While)):
                stmt.test = self.visit(stmt.test)
            elif not isinstance(stmt, ast.Try):
                stmt = self.visit(stmt)
            found.append(stmt)
            found += [ast.parse(f"wrote(0, {name!r})").body[0] for name in written]
        return found


def _call(name: str, node: ast.expr, written: str | None = None) -> ast.Call:
    args = [ast.Constant(node.id), node] if isinstance(node, ast.Name) else [node, ast.Constant(written)]
    return ast.Call(ast.Name(name, ast.Load()), args, [])


def _targets(stmt: ast.stmt) -> list[str]:
    if isinstance(stmt, (ast.Assign, ast.Delete)):
        return [n.id for t in stmt.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return [stmt.target.id] if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name) else []


Event = tuple[str, object]


def run(tree: ast.Module, numbers: dict[tuple[int, int], int], bits: list[bool]) -> list[Event]:
    """The events of one run, in order."""
    told = copy.deepcopy(tree)
    function = told.body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = _Steps(numbers).generic_block(function.body)
    ast.fix_missing_locations(told)
    events: list[Event] = []
    coins = iter(bits * 50)

    def note(what: str, which: object) -> None:
        events.append((what, which))
        if len(events) > _MOST_STEPS:
            raise OverflowError

    def read(name: str, value: object) -> object:
        note("read", name)
        return value

    def wrote(value: object, name: str) -> object:
        note("wrote", name)
        return value

    namespace: dict[str, object] = {
        "step": lambda n: note("step", n),
        "at": lambda n: note("at", n),
        "read": read,
        "wrote": wrote,
    }
    exec(compile(told, "told", "exec"), namespace)
    try:
        namespace["f"](1, lambda: next(coins), lambda: range(2 if next(coins) else 1), lambda x: None)  # type: ignore[operator]
    except (ValueError, NameError, OverflowError, StopIteration) as stop:
        events.append(("stop", type(stop).__name__))
    return events


@given(programs(), st.lists(st.booleans(), min_size=5, max_size=20))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_runs_agree_with_the_flow(source: str, bits: list[bool]) -> None:
    try:
        found = facts(source)
    except SyntaxError:
        assume(False)
        raise
    function = found.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    flow = found.flow(function)
    stmts = [n for n in ast.walk(function) if isinstance(n, ast.stmt) and n is not function]
    numbers = {(s.lineno, s.col_offset): i for i, s in enumerate(stmts)}
    events = run(found.tree, numbers, bits)
    inside = {
        i: {numbers[n.lineno, n.col_offset] for n in ast.walk(s) if isinstance(n, ast.stmt)}
        for i, s in enumerate(stmts)
    }
    assigned = {"a"}
    steps: list[int] = []
    for at, (what, which) in enumerate(events):
        if what == "step":
            number = int(str(which))
            stmt = stmts[number]
            for name in _NAMES:
                if flow.definitely_assigned(name, [stmt]):
                    assert name in assigned, f"{name} is not bound at line {stmt.lineno}\n{source}"
            for earlier in {i for i in range(len(stmts)) if flow.dominates(stmts[i], stmt)} - {number}:
                assert earlier in steps, f"line {stmts[earlier].lineno} does not dominate line {stmt.lineno}\n{source}"
            steps.append(number)
            _check_live(flow, stmt, events[at + 1 :], inside[number], source)
        elif what == "wrote":
            assigned.add(str(which))
    _check_between(flow, stmts, inside, steps, source)


def _check_between(
    flow: Flow, stmts: list[ast.stmt], inside: dict[int, set[int]], steps: list[int], source: str
) -> None:
    """How often a statement ran between two others lies within what the flow says of all paths."""
    for at, start in enumerate(steps):
        passed: list[int] = []
        for end in steps[at + 1 :]:
            if end not in passed and end not in inside[start] and start not in inside[end]:
                for mark in set(passed) - inside[start]:
                    counted = flow.between(stmts[start], stmts[end], [stmts[mark]])
                    times = passed.count(mark)
                    where = f"line {stmts[mark].lineno} from {stmts[start].lineno} to {stmts[end].lineno}\n{source}"
                    assert counted is not None, where
                    assert counted[0] <= times and (counted[1] is None or times <= counted[1]), (
                        f"{counted} {times} {where}"
                    )
            passed.append(end)
            if end == start or len(passed) > 6:
                break


def _check_live(flow: Flow, stmt: ast.stmt, later: list[Event], inside: set[int], source: str) -> None:
    """What is read in the statement before it is written there is live into it; likewise behind it."""
    fresh: set[str] = set()
    left = False
    for what, which in later:
        if what in ("step", "at") and int(str(which)) not in inside and not left:
            left, fresh = True, set()
        elif what == "wrote":
            fresh.add(str(which))
        elif what == "read" and which not in fresh:
            live = flow.live_out([stmt]) if left else flow.live_in([stmt])
            assert which in live, f"{which} is {'read behind' if left else 'live into'} line {stmt.lineno}\n{source}"
