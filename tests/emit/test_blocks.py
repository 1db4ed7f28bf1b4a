from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.emit.edited import calls, check, emitted, stmt
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Def, DropDecorator, Edit, Insert, Keep, New, Rename, Splice
from torch2ms.emit import EditConflict

Edits = Callable[[Facts], Iterator[Edit]]


def removing(*starts: str) -> Edits:
    """Removes the statements that begin so."""

    def edits(facts: Facts) -> Iterator[Edit]:
        for node in ast.walk(facts.tree):
            if isinstance(node, ast.stmt) and ast.unparse(node).startswith(starts):
                yield Splice(node, ())

    return edits


def test_a_removed_statement_leaves_its_comments() -> None:
    check(
        """\
        a = 1

        # why
        gone()  # this
        # next
        b = 2
        """,
        removing("gone"),
        """\
        a = 1

        # why
        # this
        # next
        b = 2
        """,
    )


def test_blank_lines_do_not_add_up() -> None:
    check("a = 1\n\ngone()\n\nb = 2\n", removing("gone"), "a = 1\n\nb = 2\n")
    check("a = 1\n\ngone()\nb = 2\n", removing("gone"), "a = 1\n\nb = 2\n")
    check("def f():\n    gone()\n\n    b = 2\n", removing("gone"), "def f():\n    b = 2\n")


def test_a_block_never_becomes_empty() -> None:
    check("if a:\n    # why\n    gone()  # this\nb = 1\n", removing("gone"), "if a:\n    # why\n    # this\n    pass\nb = 1\n")
    check("if a: gone()\nelse: b()\n", removing("gone"), "if a: pass\nelse: b()\n")
    check("for x in y:\n\tgone()\n", removing("gone"), "for x in y:\n\tpass\n")
    check("try:\n    gone()\nexcept E:\n    gone()\nfinally:\n    gone()\n", removing("gone"), "try:\n    pass\nexcept E:\n    pass\nfinally:\n    pass\n")


def test_comments_at_the_end_of_a_block() -> None:
    check("def f():\n    a()\n    # last\n    gone()  # this\n\nb = 1\n", removing("gone"), "def f():\n    a()\n    # last\n    # this\n\nb = 1\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a(); gone(); b()\n", "a(); b()\n"),
        ("gone(); b()  # c\n", "b()  # c\n"),
        ("a(); gone()  # c\nd()\n", "a()\n# c\nd()\n"),
        ("a(); gone();\n", "a();\n"),
        ("a();gone();b()\n", "a();b()\n"),
        ("# lead\ngone(); gone()  # c\nd()\n", "# lead\n# c\nd()\n"),
        ("if x: gone(); b()\n", "if x: b()\n"),
        ("if x: gone(); gone()\n", "if x: pass\n"),
    ],
)
def test_statements_that_share_a_line(before: str, after: str) -> None:
    check(before, removing("gone"), after)


def test_replacements_on_shared_lines() -> None:
    def small(facts: Facts) -> Iterator[Edit]:
        yield Splice(stmt(facts, "old"), (New("new()"),))

    def compound(facts: Facts) -> Iterator[Edit]:
        yield Splice(stmt(facts, "old"), (New("if y:\n    new()"),))

    check("a(); old(); b()  # c\n", small, "a(); new(); b()  # c\n")
    check("a(); old(); b()  # c\n", compound, "a()\nif y:\n    new()\nb()  # c\n")
    check("if x: old()  # c\n", small, "if x: new()  # c\n")
    check("if x: old(); b()\n", compound, "if x:\n    if y:\n        new()\n    b()\n")
    check("while x: old()\n", compound, "while x:\n    if y:\n        new()\n")


def test_a_new_statement_takes_the_comments_of_the_old_one() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        (call,) = calls(facts, "old")
        yield Splice(facts.statement(call), (New("x = new($0)\ny = 1", (call.args[0],)),))

    check(
        "# lead\nold(\n    a,  # one\n    b,  # two\n)  # end\nc = 1\n",
        edits,
        "# lead\n# one\n# two\nx = new(a)  # end\ny = 1\nc = 1\n",
    )


def test_multi_line_parts_are_moved_in_parentheses() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        (call,) = calls(facts, "old")
        yield Splice(facts.statement(call), (New("x = $0", (call.args[0],)),))

    check("if y:\n    old(a +  # one\n        b)\n", edits, "if y:\n    x = (a +  # one\n        b)\n")


def lifted(facts: Facts) -> Iterator[Edit]:
    """Moves the first two statements of the loop into a function before it."""
    loop = stmt(facts, "for")
    assert isinstance(loop, ast.For)
    first, second, last = loop.body[:3]
    yield Insert(loop, "before", (Def("step(x)", (Keep(first), Keep(second), New("return y"))), New("g = grad(step)")))
    yield Splice(first, ())
    yield Splice(second, ())
    yield Splice(last, (New("y = g(x)"),))


def test_statements_move_into_a_function_with_their_comments() -> None:
    check(
        """\
        def f():
            a = 1
            for x in a:
                # forward
                y = net(x)  # the output

                # loss, in
                # two lines
                y = loss(y,
                         x)
                backward(y)  # gradients
                print(y)
        """,
        lifted,
        """\
        def f():
            a = 1

            def step(x):
                # forward
                y = net(x)  # the output

                # loss, in
                # two lines
                y = loss(y,
                         x)
                return y

            g = grad(step)
            for x in a:
                y = g(x)  # gradients
                print(y)
        """,
    )


def test_tabs_and_compound_statements_move_as_they_are() -> None:
    check(
        'for x in a:\n\tif x:\n\t\ty = """a\n  b"""\n\telse:  # no\n\t\ty = 2\n\tz = (1,\n\t     2)\n\tbackward(y)\n',
        lifted,
        'def step(x):\n\tif x:\n\t\ty = """a\n  b"""\n\telse:  # no\n\t\ty = 2\n\tz = (1,\n\t     2)\n\treturn y\n\n\ng = grad(step)\nfor x in a:\n\ty = g(x)\n',
    )


def test_windows_newlines() -> None:
    check(
        "for x in a:\r\n    y = 1  # one\r\n    z = 2\r\n    backward(y)\r\n",
        lifted,
        "def step(x):\r\n    y = 1  # one\r\n    z = 2\r\n    return y\r\n\r\n\r\ng = grad(step)\r\nfor x in a:\r\n    y = g(x)\r\n",
    )


def test_a_function_stands_apart_from_its_neighbours() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        loss = stmt(facts, "loss")
        yield Splice(loss, (Def("fn()", (Keep(loss), New("return loss"))), New("loss = fn()")))

    check(
        "for x in a:\n    # why\n    loss = f(x)\n    b()\n",
        edits,
        "for x in a:\n    def fn():\n        # why\n        loss = f(x)\n        return loss\n\n    loss = fn()\n    b()\n",
    )
    check("a()\nloss = f(x)\nb()\n", edits, "a()\n\n\ndef fn():\n    loss = f(x)\n    return loss\n\n\nloss = fn()\nb()\n")


def test_a_moved_statement_takes_its_own_replacement_along() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        loss, old = stmt(facts, "loss"), stmt(facts, "old")
        yield Splice(loss, (Def("fn()", (Keep(loss), Keep(old))), New("fn()")))
        yield Splice(old, ())
        yield Splice(old, (New("new()"),))
        yield Insert(old, "after", (New("more()"),))

    check("loss = f(x)\nold()  # o\nb()\n", edits, "def fn():\n    loss = f(x)\n    new()  # o\n    more()\n\n\nfn()\nb()\n")


def test_a_wrapped_statement_can_have_its_own_replacement() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        old = stmt(facts, "old")
        yield Splice(old, (New("before()"), Keep(old), New("after()")))
        yield Splice(old, (New("new()"),))

    check("a()\n# c\nold()  # o\n", edits, "a()\nbefore()\n# c\nnew()  # o\nafter()\n")


def unwrapped(facts: Facts) -> Iterator[Edit]:
    """Takes the body of a `with` out of it."""
    with_ = stmt(facts, "with")
    assert isinstance(with_, ast.With)
    yield Splice(with_, tuple(map(Keep, with_.body)))


def test_the_body_of_a_block_moves_out() -> None:
    check(
        "def f():\n    # lead\n    with no_grad():  # off\n\n        # body\n        a()\n        if b:\n            c()  # deep\n        # foot\n    d()\n",
        unwrapped,
        "def f():\n    # lead\n    # off\n    # foot\n\n    # body\n    a()\n    if b:\n        c()  # deep\n    d()\n",
    )
    check("with no_grad(): a(); b()  # c\n", unwrapped, "a()\nb()  # c\n")


def test_elif_chains() -> None:
    source = "if a:\n    x()\n# lead\nelif b:  # head\n    gone()\nelif c:\n    y()\nelse:\n    z()\n"
    check(source, removing("gone"), "if a:\n    x()\n# lead\nelif b:  # head\n    pass\nelif c:\n    y()\nelse:\n    z()\n")

    def whole(facts: Facts) -> Iterator[Edit]:
        yield Splice(stmt(facts, "if c"), ())

    check("if a:\n    x()\nelif c:\n    y()\n", whole, "if a:\n    x()\n")
    check("if a:\n    x()\nelif c:  # why\n    y()\n", whole, "if a:\n    x()\nelse:\n    # why\n    pass\n")

    def replaced(facts: Facts) -> Iterator[Edit]:
        yield Splice(stmt(facts, "if c"), (New("y()"),))

    check("if a:\n    x()\nelif c:\n    y()\n", replaced, "if a:\n    x()\nelse:\n    y()\n")

    def added(facts: Facts) -> Iterator[Edit]:
        yield Insert(stmt(facts, "if c"), "before", (New("y()"),))

    check("if a:\n    x()\nelif c:\n    y()\n", added, "if a:\n    x()\nelse:\n    y()\n    if c:\n        y()\n")


def test_comments_inside_headers_are_lifted_above() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        from torch2ms.edits import Replace

        for call in calls(facts, "f"):
            yield Replace(call, "g()")

    check("if f(a,  # one\n     b):\n    c()\n", edits, "# one\nif g():\n    c()\n")
    check("if x:\n    y()\nelif f(a,  # one\n       b):\n    c()\n", edits, "if x:\n    y()\n# one\nelif g():\n    c()\n")
    check("if x: f(a,  # one\n        b)\n", edits, "if x:\n    # one\n    g()\n")


def test_decorators_and_names() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        function = stmt(facts, "@a")
        assert isinstance(function, ast.FunctionDef)
        yield DropDecorator(function.decorator_list[1])
        yield Rename(function, "construct")
        yield Rename(function.args.args[0], "self")
        yield Rename(function.args.kwonlyargs[0], "axis")

    check(
        "@a\n# why\n@b(1)  # this\n@c\ndef forward(this, x=1, *, dim: int = 0): pass\n",
        edits,
        "@a\n# why\n# this\n@c\ndef construct(self, x=1, *, axis: int = 0): pass\n",
    )

    def only(facts: Facts) -> Iterator[Edit]:
        yield DropDecorator(stmt(facts, "@b").decorator_list[0])  # type: ignore[attr-defined]

    check("x = 1\n\n\n# lead\n@b  # this\n# more\ndef f(): pass\n", only, "x = 1\n\n\n# lead\n# this\n# more\ndef f(): pass\n")


def test_text_outside_the_edits_is_untouched() -> None:
    source = "x  =  {  'a':1 ,}\n\n\n\ndef   f( a,b ) :\n\tgone()\n\t\n\treturn(  a )  \n\f\ny=f(1,\\\n  2)\n#end"
    check(source, removing("gone"), source.replace("\tgone()\n\t\n", ""))


def test_two_edits_of_one_statement_conflict() -> None:
    def edits(facts: Facts) -> Iterator[Edit]:
        yield Splice(stmt(facts, "old"), (New("a()"),))
        yield Splice(stmt(facts, "old"), (New("b()"),))

    with pytest.raises(EditConflict):
        emitted("old()\n", edits)


def test_no_edit_no_change() -> None:
    assert emitted("x=1", lambda facts: ()) == "x=1"
