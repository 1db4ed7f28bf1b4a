"""Edits in the text of a line: the same output as from a tree, and no tree where none is needed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

import pytest

from tests.emit.edited import calls, check, emitted
from torch2ms.analysis.facts import Facts
from torch2ms.edits import CallEdit, Edit, Rename, Replace
from torch2ms.emit import pieces


@pytest.fixture
def no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """libcst may not be asked."""

    def refuse(text: str) -> None:
        raise AssertionError(f"libcst was to read {text!r}")

    monkeypatch.setattr(pieces.cst, "parse_module", refuse)


def to_receiver(facts: Facts) -> Iterable[Edit]:
    """`x.to(device)` becomes `x`."""
    return [Replace(call, "$0", (call.func.value,)) for call in calls(facts, "to") if isinstance(call.func, ast.Attribute)]


def renamed(facts: Facts) -> Iterable[Edit]:
    return [CallEdit(call, "g") for call in calls(facts, "f")]


@pytest.mark.usefixtures("no_tree")
@pytest.mark.parametrize(
    ("source", "edits", "after"),
    [
        ("a = f(1)  # f(1)\n", renamed, "a = g(1)  # f(1)\n"),
        ("a = f(f(1), b=f())\n", renamed, "a = g(g(1), b=g())\n"),
        ("a = f(\n    f(1),\n    2,\n)\n", renamed, "a = g(\n    g(1),\n    2,\n)\n"),
        ("a = f(1); b = f(2); c = 3\n", renamed, "a = g(1); b = g(2); c = 3\n"),
        ("if f(1): f(2)\nelif f(3): pass\nelse: f(4)", renamed, "if g(1): g(2)\nelif g(3): pass\nelse: g(4)"),
        ("@f(1)\ndef h(a=f(2)) -> f(3):\n\treturn f(4)\n", renamed, "@g(1)\ndef h(a=g(2)) -> g(3):\n\treturn g(4)\n"),
        ("try:\r\n  a = f(1)\r\nexcept f(2): b\r\n", renamed, "try:\r\n  a = g(1)\r\nexcept g(2): b\r\n"),
        ("y = x.to(d).to(e) + x[0].to(d)\n", to_receiver, "y = x + x[0]\n"),
        ("y = [x\n     .to(d), z]\n", to_receiver, "y = [x, z]\n"),
        ("y = (\n  x.a(\n    1)\n  .to(d)\n  .b)\n", to_receiver, "y = (\n  x.a(\n    1)\n  .b)\n"),
        ("y = x.to(d) if x.to(d) else -x.to(d) ** 2\n", to_receiver, "y = x if x else -x ** 2\n"),
    ],
)
def test_no_tree_is_needed(source: str, edits: Callable[[Facts], Iterable[Edit]], after: str) -> None:
    check(source, edits, after)


@pytest.mark.usefixtures("no_tree")
def test_names_of_definitions() -> None:
    for keyword in ("def", "async  def", "class"):
        check(f"if a:\n    {keyword} f(x=1): pass\n", lambda f: [Rename(f.tree.body[0].body[0], "longer")], f"if a:\n    {keyword} longer(x=1): pass\n")


@pytest.mark.usefixtures("no_tree")
def test_templates_with_parts() -> None:
    def edits(facts: Facts) -> Iterable[Edit]:
        (call,) = calls(facts, "f")
        yield Replace(call, "h($1, k=$0).shape", tuple(call.args))

    check("a = f(b + 1, lambda: 2)[0]\n", edits, "a = h(lambda: 2, k=b + 1).shape[0]\n")


@pytest.mark.parametrize(
    ("source", "after"),
    [
        ("y = (a + b).to(d) * 2\n", "y = (a + b) * 2\n"),
        ("y = (a + b).to(d)\n", "y = a + b\n"),
        ("def h(x):\n    return(x).to(d)\n", "def h(x):\n    return(x)\n"),
        ("y = x.to(d)if z else w\n", "y = x if z else w\n"),
        ("ä = x.to('ö')\n", "ä = x\n"),
        ("y = [x.to(  # why\n    d)]\n", "# why\ny = [x]\n"),
        ("y = f'{x.to(d)} {x.to(d)!r:>{w.to(d)}}'\n", "y = f'{x} {x!r:>{w}}'\n"),
        ("y = (x\n     .z).to(d)\n", "y = (x\n     .z)\n"),
    ],
)
def test_places_that_need_more_than_text(source: str, after: str) -> None:
    try:
        check(source, to_receiver, after)
    except AssertionError:
        # the spelling of the tree may differ; the meaning and the comments may not
        result = emitted(source, to_receiver)
        assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(after))
