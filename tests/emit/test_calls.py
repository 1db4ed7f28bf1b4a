from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tests.emit.edited import calls, check
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Arg, CallEdit, Rename

Edits = Callable[[Facts], Iterator[CallEdit]]


def without(keyword: str, func: str | None = None, name: str = "f") -> Edits:
    """Drops a keyword argument."""

    def edits(facts: Facts) -> Iterator[CallEdit]:
        for call in calls(facts, name):
            args = [Arg(a) for a in call.args] + [Arg(k.value, k.arg, "**" if k.arg is None else "") for k in call.keywords if k.arg != keyword]
            yield CallEdit(call, func, tuple(args))

    return edits


def reordered(facts: Facts) -> Iterator[CallEdit]:
    """Turns the positional arguments round."""
    for call in calls(facts, "f"):
        yield CallEdit(call, None, tuple(Arg(a) for a in reversed(call.args)))


def test_dropping_the_last_argument_keeps_the_end_of_the_list() -> None:
    check("x = f(a, b=1, c=2)\n", without("c"), "x = f(a, b=1)\n")
    check("x = f(a, c=2,)\n", without("c"), "x = f(a,)\n")
    check("x = f(\n    a,\n    c=2,\n)\n", without("c"), "x = f(\n    a,\n)\n")
    check("x = f(a,\n      c=2)\n", without("c"), "x = f(a)\n")


def test_dropping_every_argument() -> None:
    check("x = f(\n    c=2,\n)\n", without("c"), "x = f()\n")


def test_comments_of_surviving_arguments_stay() -> None:
    check(
        """\
        x = f(
            a,  # first
            b=1,  # second
            c=2,
        )
        """,
        without("c"),
        """\
        x = f(
            a,  # first
            b=1,  # second
        )
        """,
    )


def test_the_comment_of_a_dropped_argument_moves_above_the_statement() -> None:
    check(
        """\
        # before
        x = f(
            a,
            c=2,  # the device
            b=1,
        )  # after
        """,
        without("c"),
        """\
        # before
        # the device
        x = f(
            a,
            b=1,
        )  # after
        """,
    )


def test_reordering_separates_as_before() -> None:
    check("x = f(a,b)\n", reordered, "x = f(b,a)\n")
    check("x = f(\n    a,\n    b\n)\n", reordered, "x = f(\n    b,\n    a\n)\n")
    check("x = f(\n    a,  # one\n    b  # two\n)\n", reordered, "x = f(\n    b,  # two\n    a  # one\n)\n")


def test_a_callee_from_the_runtime_is_imported() -> None:
    check("import torch\nx = torch.f(a, c=2)\n", without("c", "$mint.f"), "from torch2ms.runtime import mint\nx = mint.f(a)\n")


def test_a_renamed_method_keeps_its_place_in_a_chain() -> None:
    check("x = (a\n     .f()  # c\n     .g())\n", without("c", "$0.h"), "x = (a\n     .h()  # c\n     .g())\n")


def test_new_and_renamed_arguments() -> None:
    def edits(facts: Facts) -> Iterator[CallEdit]:
        (call,) = calls(facts, "f")
        yield CallEdit(call, None, (Arg(call.args[0], "input"), Arg("$mindspore.int64", "dtype"), Arg(call.keywords[0].value, "axis")))

    check("x = f(a, dim=1)\n", edits, "import mindspore\nx = f(input=a, dtype=mindspore.int64, axis=1)\n")


def test_a_receiver_becomes_an_argument() -> None:
    def edits(facts: Facts) -> Iterator[CallEdit]:
        (call,) = calls(facts, "f")
        assert isinstance(call.func, ast.Attribute)
        yield CallEdit(call, "$mint.f", (Arg(call.func.value), *map(Arg, call.args)))

    check("x = (a + b).f(c)\n", edits, "from torch2ms.runtime import mint\nx = mint.f(a + b, c)\n")


def test_stars_survive() -> None:
    check("x = f(a, *b, c=1, **d)\n", without("c"), "x = f(a, *b, **d)\n")
    check("x = f(a, c=1, *b)\n", without("c"), "x = f(a, *b)\n")


def test_a_generator_gets_parentheses_beside_another_argument() -> None:
    def edits(facts: Facts) -> Iterator[CallEdit]:
        (call,) = calls(facts, "f")
        yield CallEdit(call, None, (Arg(call.args[0]), Arg("0", "dim")))

    check("x = f(a for a in b)\n", edits, "x = f((a for a in b), dim=0)\n")


def test_renamed_keywords() -> None:
    def edits(facts: Facts) -> Iterator[Rename]:
        (call,) = calls(facts, "f")
        yield Rename(call.keywords[0], "axis")

    check("x = f(a, dim = 1)\n", edits, "x = f(a, axis = 1)\n")


def test_nested_calls_compose() -> None:
    check("import torch\nx = f(f(a, c=1), c=f(b))\n", without("c", "$mint.f"), "from torch2ms.runtime import mint\nx = mint.f(mint.f(a))\n")
