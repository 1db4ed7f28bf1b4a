"""Flow inside a function or a script: liveness, assignment, dominance, paths."""

from __future__ import annotations

import ast
import builtins
import textwrap

import pytest

from tests.analysis.programs import facts
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.flow import Flow

_BUILTINS = frozenset(dir(builtins))


class Marked:
    """A function whose region is marked by the comments `# <` on its first and `# >` on its last line (`# <>` for both)."""

    def __init__(self, source: str, name: str = "f") -> None:
        self.found: Facts = facts(source)
        functions = [n for n in ast.walk(self.found.tree) if isinstance(n, ast.FunctionDef) and n.name == name]
        self.function = functions[0] if functions else self.found.tree
        self.flow: Flow = self.found.flow(self.function)
        lines = textwrap.dedent(source).splitlines()
        first = next(i for i, line in enumerate(lines, 1) if "# <" in line)
        last = next(i for i, line in enumerate(lines, 1) if "# >" in line or "# <>" in line)
        self.region = next(
            [s for s in block if first <= s.lineno <= last]
            for block in self._blocks()
            if any(s.lineno == first for s in block)
        )

    def _blocks(self) -> list[list[ast.stmt]]:
        found = []
        for node in ast.walk(self.function):
            for field in ("body", "orelse", "finalbody", "handlers"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found.append(block)
        return found

    def at(self, text: str) -> ast.stmt:
        """The statement that reads like `text` (a compound one: whose header does)."""
        return next(
            n for n in ast.walk(self.function) if isinstance(n, ast.stmt) and ast.unparse(n).splitlines()[0] == text
        )

    @property
    def live_in(self) -> set[str]:
        return set(self.flow.live_in(self.region)) - _BUILTINS

    @property
    def live_out(self) -> set[str]:
        return set(self.flow.live_out(self.region)) - _BUILTINS


def test_a_training_step_in_a_loop() -> None:
    marked = Marked("""
        def f(loader, model, opt, crit):
            total = 0
            for epoch in range(3):
                for i, (x, y) in enumerate(loader):
                    opt.zero_grad()          # <
                    out = model(x)
                    loss = crit(out, y)
                    loss.backward()          # >
                    opt.step()
                    total += loss.item()
                print(epoch, total)
            return out
    """)
    assert marked.live_in == {"opt", "model", "x", "crit", "y"}
    assert set(marked.flow.writes(marked.region)) == {"out", "loss"}
    assert {"out", "loss"} <= marked.live_out
    assert "x" not in marked.live_out and "y" not in marked.live_out
    assert {"total", "opt", "model", "crit", "loader", "epoch"} <= marked.live_out
    assert not marked.flow.jumps(marked.region)
    assert marked.flow.loop_of(marked.region[0]) is marked.at("for i, (x, y) in enumerate(loader):")


def test_a_value_rebound_before_it_is_read_is_dead() -> None:
    marked = Marked("""
        def f(xs):
            loss = None
            for x in xs:
                loss = x * 2       # <
                y = loss + 1       # >
                use(y)
    """)
    assert marked.live_out == {"use", "xs", "y"} - {"xs"}


def test_next_iteration_counts() -> None:
    marked = Marked("""
        def f(xs):
            last = None
            for x in xs:
                use(last)
                last = x * 2       # <>
    """)
    assert marked.live_out == {"last", "use"}
    assert marked.live_in == {"x"}


def test_live_in_follows_the_paths_of_the_region() -> None:
    marked = Marked("""
        def f(a, b, c):
            if a:                  # <
                t = b
            u = t                  # >
            return u
    """)
    assert marked.live_in == {"a", "b", "t"}
    both = Marked("""
        def f(a, b, c):
            if a:                  # <
                t = b
            else:
                t = c
            u = t                  # >
            return u
    """)
    assert both.live_in == {"a", "b", "c"}


def test_augmented_assignment_reads() -> None:
    marked = Marked("""
        def f(xs):
            total = 0
            for x in xs:
                total += x         # <>
            return total
    """)
    assert marked.live_in == {"total", "x"}
    assert marked.live_out == {"total"}


def test_comprehension_variables_are_their_own() -> None:
    marked = Marked("""
        def f(xs, y):
            ys = [x * y for x in xs]        # <>
            return ys, [(z := t) for t in ys]
    """)
    assert marked.live_in == {"xs", "y"}
    assert set(marked.flow.writes(marked.region)) == {"ys"}
    assert "z" in marked.flow.writes([marked.at("return (ys, [(z := t) for t in ys])")])
    assert "t" not in marked.flow.reads([marked.at("return (ys, [(z := t) for t in ys])")])


def test_closures_keep_what_they_read_alive() -> None:
    marked = Marked("""
        def f(x):
            scale = 1
            def inner():
                return scale * x
            scale = 2                        # <>
            return inner()
    """)
    assert "scale" in marked.live_out
    assert marked.flow.captured_reads == {"scale", "x"}
    changed = Marked("""
        def f(x):
            n = 0                            # <>
            def inner():
                nonlocal n
                n = x
            inner()
            return n
    """)
    assert changed.flow.captured_writes == {"n"}
    assert changed.flow.locals == {"x", "n", "inner"}


def test_a_lambda_reads_when_it_runs() -> None:
    marked = Marked("""
        def f(x, g):
            k = 3                            # <
            h = lambda y: y * k              # >
            return h
    """)
    assert marked.live_in == set()
    assert {"h", "k"} == marked.live_out


def test_globals_are_seen_outside() -> None:
    marked = Marked("""
        best = 0
        def f(x):
            global best
            best = x                         # <
            other = x                        # >
    """)
    assert marked.live_out == {"best"}
    assert marked.flow.locals == {"x", "other"}


def test_a_script_and_the_functions_that_read_its_variables() -> None:
    marked = Marked(
        """
        def report():
            print(loss)
        loss = 0                             # <
        tmp = 1                              # >
        report()
    """,
        name="no such function",
    )
    assert marked.live_out == {"loss", "report"}


def test_break_continue_return_leave_the_region() -> None:
    marked = Marked("""
        def f(xs):
            for x in xs:
                for y in x:                  # <
                    if y:
                        break
                    else:
                        continue
                if x:
                    continue
                if x is None:
                    break
                if x == 3:
                    return x                 # >
                use(x)
            return 1
    """)
    jumps = marked.flow.jumps(marked.region)
    assert [len(jumps.breaks), len(jumps.continues), len(jumps.returns), len(jumps.yields)] == [1, 1, 1, 0]
    assert jumps
    inner = marked.flow.jumps([marked.at("for y in x:")])
    assert not inner


def test_break_in_the_else_of_a_loop_belongs_to_the_outer_loop() -> None:
    marked = Marked("""
        def f(xs):
            for x in xs:
                for y in x:                  # <
                    pass
                else:
                    break                    # >
    """)
    assert len(marked.flow.jumps(marked.region).breaks) == 1


def test_yield_and_inner_functions() -> None:
    marked = Marked("""
        def f(xs):
            def g():                         # <
                return 1
            yield xs                         # >
    """)
    jumps = marked.flow.jumps(marked.region)
    assert len(jumps.yields) == 1 and not jumps.returns


@pytest.mark.parametrize(
    ("body", "assigned"),
    [
        ("x = 1", True),
        ("if c: x = 1", False),
        ("if c: x = 1\nelse: x = 2", True),
        ("if c: x = 1\nelse: raise ValueError", True),
        ("if c: x = 1\nelse: return", True),
        ("for i in c: x = 1", False),
        ("for i in c: x = 1\nelse: x = 2", True),
        ("while True:\n    x = 1\n    if c: break", True),
        ("while c: x = 1", False),
        ("try: x = 1\nexcept E: pass", False),
        ("try: x = 1\nexcept E: x = 2", True),
        ("try: x = g()\nexcept E: raise", True),
        ("try: g()\nfinally: x = 1", True),
        ("try:\n    x = g()\nfinally:\n    g()", True),
        ("with c as x: pass", True),
        ("x = 1\ndel x", False),
        ("if (x := c): pass", True),
        ("c and (x := 1)", False),
        ("[(x := i) for i in c]", False),
        ("import x", True),
        ("def x(): pass", True),
        ("def g2(): x = 1", False),
        ("match c:\n    case [x]: pass", False),
        ("x: int", False),
        ("x: int = 3", True),
    ],
)
def test_definitely_assigned(body: str, assigned: bool) -> None:
    source = "def f(c, g, E):\n" + textwrap.indent(body, "    ") + "\n    end(x)\n"
    found = facts(source)
    function = found.tree.body[0]
    flow = found.flow(function)
    assert flow.definitely_assigned("x", [function.body[-1]]) is assigned
    assert flow.definitely_assigned("c", [function.body[-1]])


def test_dominance() -> None:
    marked = Marked("""
        def f(xs, c):
            a = 1                            # <>
            if c:
                b = 2
            for x in xs:
                d = 3
                e = 4
            g = 5
    """)
    at, flow = marked.at, marked.flow
    assert flow.dominates(at("a = 1"), at("g = 5"))
    assert not flow.dominates(at("b = 2"), at("g = 5"))
    assert not flow.dominates(at("d = 3"), at("g = 5"))
    assert flow.dominates(at("d = 3"), at("e = 4"))
    assert not flow.dominates(at("e = 4"), at("d = 3"))
    assert flow.dominates(at("g = 5"), at("g = 5"))


def test_how_many_on_every_path() -> None:
    marked = Marked("""
        def f(xs, c):
            zero()                           # <>
            if c:
                back()
            else:
                back()
            if c:
                extra()
            for x in xs:
                inner()
            step()
            after()
    """)
    at, flow = marked.at, marked.flow
    backs = [s for s in ast.walk(marked.function) if isinstance(s, ast.Expr) and ast.unparse(s) == "back()"]
    assert flow.between(at("zero()"), at("step()"), backs) == (1, 1)
    assert flow.between(at("zero()"), at("step()"), [at("extra()")]) == (0, 1)
    assert flow.between(at("zero()"), at("step()"), [at("inner()")]) == (0, None)
    assert flow.between(at("step()"), at("zero()"), backs) is None
    assert flow.between(at("step()"), at("after()"), backs) == (0, 0)


def test_the_paths_of_one_round() -> None:
    marked = Marked("""
        def f(xs, n):
            for i, x in enumerate(xs):
                back(x)                      # <>
                if i % n == 0:
                    step()
                    zero()
    """)
    at, flow = marked.at, marked.flow
    assert flow.between(at("back(x)"), at("back(x)"), [at("step()")]) == (0, 1)
    assert flow.between(at("step()"), at("step()"), [at("back(x)")]) == (1, None)
    assert flow.between(at("step()"), at("zero()"), [at("back(x)")]) == (0, 0)


def test_reaching_definitions() -> None:
    marked = Marked("""
        def f(loss, c):
            use(loss)                        # <>
            if c:
                loss = 1
            other(loss)
            for i in c:
                third(loss)
                loss = 2
    """)
    at, flow = marked.at, marked.flow
    assert set(flow.reaching("loss", at("use(loss)"))) == {marked.function}
    assert set(flow.reaching("loss", at("other(loss)"))) == {marked.function, at("loss = 1")}
    assert set(flow.reaching("loss", at("third(loss)"))) == {marked.function, at("loss = 1"), at("loss = 2")}


def test_handlers_see_the_values_of_a_broken_try() -> None:
    marked = Marked("""
        def f(g):
            x = 1
            try:
                x = 2                        # <
                g()
                x = 3                        # >
            except ValueError:
                use(x)
    """)
    assert "x" in marked.live_out
    flow = marked.flow
    assert {ast.unparse(s) for s in flow.reaching("x", marked.at("use(x)"))} >= {"x = 1", "x = 2"}


def test_finally_runs_before_a_return() -> None:
    marked = Marked("""
        def f(g):
            done = 0
            try:
                done = 1                     # <>
                return g()
            finally:
                use(done)
    """)
    assert "done" in marked.live_out


def test_attribute_paths() -> None:
    marked = Marked("""
        def f(self, x):
            self.loss = self.net.crit(x)     # <
            self.total += self.loss.item()   # >
    """)
    assert marked.flow.attribute_writes(marked.region) == {"self.loss", "self.total"}
    assert {"self.net.crit", "self.loss.item", "self.total"} <= marked.flow.attribute_reads(marked.region)


def test_flow_of_a_lambda() -> None:
    found = facts("h = lambda x, y=3: x + z")
    node = found.tree.body[0].value
    flow = found.flow(node)
    assert flow.parameters == {"x", "y"}
    assert flow.live_in(flow.body) == {"x", "z"}


def test_every_statement_has_a_node() -> None:
    source = """
        async def f(a):
            async for x in a:
                pass
            async with a as b:
                await b
            while a:
                try:
                    continue
                except (E, F) as e:
                    raise
                else:
                    break
                finally:
                    pass
            match a:
                case {"k": v, **rest} if v:
                    return rest
                case _:
                    pass
            class Inner:
                x = a
            global g
            g = 1
            return None
    """
    found = facts(source)
    function = found.tree.body[0]
    flow = found.flow(function)
    inner = {n for n in ast.walk(function) if isinstance(n, ast.stmt)} - {function}
    inner -= {n for c in inner if isinstance(c, ast.ClassDef) for n in ast.walk(c)} - {
        c for c in inner if isinstance(c, ast.ClassDef)
    }
    assert inner == set(flow.graph.entries)
    assert "rest" in flow.locals and "e" in flow.locals and "g" not in flow.locals
