from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.emit.edited import calls, check, emitted
from torch2ms.analysis.facts import Facts
from torch2ms.edits import Replace


def replaced(template: str) -> Callable[[Facts], Iterator[Replace]]:
    """Every call of `f` becomes the template of its arguments."""

    def edits(facts: Facts) -> Iterator[Replace]:
        for call in calls(facts, "f"):
            yield Replace(call, template, tuple(call.args))

    return edits


@pytest.mark.parametrize(
    ("source", "template", "after"),
    [
        ("f(a, b)", "$0 + $1", "a + b"),
        ("f(a + b, c)", "$0 * $1", "(a + b) * c"),
        ("f(a * b, c)", "$0 + $1", "a * b + c"),
        ("f(a, b - c)", "$0 - $1", "a - (b - c)"),
        ("f(a - b, c)", "$0 - $1", "a - b - c"),
        ("f(a, b) * c", "$0 + $1", "(a + b) * c"),
        ("c * f(a, b)", "$0 @ $1", "c * (a @ b)"),
        ("f(a, b).c", "$0 + $1", "(a + b).c"),
        ("f(a, b)[0]", "$0 + $1", "(a + b)[0]"),
        ("-f(a, b)", "$0 ** $1", "-a ** b"),
        ("f(-a, b)", "$0 ** $1", "(-a) ** b"),
        ("f(a, -b)", "$0 ** $1", "a ** -b"),
        ("f(a if b else c, d)", "$0 + $1", "(a if b else c) + d"),
        ("f(lambda: a, d)", "g($0, $1)", "g(lambda: a, d)"),
        ("f(a or b, c)", "$0 and $1", "(a or b) and c"),
        ("f(not a, b)", "$0 == $1", "(not a) == b"),
        ("f(a < b, c)", "$0 < $1", "(a < b) < c"),
        ("f((a, b), c)", "g($0, $1)", "g((a, b), c)"),
        ("f((a + b), c)", "g($0, $1)", "g(a + b, c)"),
        ("f((a + b), c)", "$0.g($1)", "(a + b).g(c)"),
        ("f(1, b)", "$0.g($1)", "(1).g(b)"),
        ("f(a for a in b)", "g($0)", "g((a for a in b))"),
        ("f((x := a), b)", "g($0, $1)", "g((x := a), b)"),
        ("(f(a, b))", "$0 + $1", "(a + b)"),
        ("not f(a, b)", "$0 < $1", "not a < b"),
        ("[f(a, b), c]", "$0 if $1 else 0", "[a if b else 0, c]"),
        ("await_(f(a, b), key=f(b, a))", "$0, $1", "await_((a, b), key=(b, a))"),
        ("f(a, b)", "g('$0', $1)", "g('$0', b)"),
    ],
)
def test_parentheses_where_precedence_asks_for_them(source: str, template: str, after: str) -> None:
    check(f"y = {source}\n", replaced(template), f"y = {after}\n")


def test_line_breaks_stay_between_brackets() -> None:
    check("y = f(a +\n      b, c)\n", replaced("$0 + $1"), "y = (a +\n      b) + c\n")
    check("y = g(f(a +\n      b, c))\n", replaced("$0"), "y = g(a +\n      b)\n")
    check("y = f(a +  # one\n      b, c)\n", replaced("$0"), "y = (a +  # one\n      b)\n")
    check("y = f(g(a,\n        b), c)\n", replaced("$0.h($1)"), "y = g(a,\n        b).h(c)\n")


def test_a_node_can_be_wrapped() -> None:
    def edits(facts: Facts) -> Iterator[Replace]:
        outer, inner = calls(facts, "f")
        yield Replace(outer, "g($0)", (outer,))
        yield Replace(inner, "h($0)", tuple(inner.args))

    check("y = f(f(a))\n", edits, "y = g(f(h(a)))\n")


def test_a_statement_uses_parts_of_another() -> None:
    def edits(facts: Facts) -> Iterator[Replace]:
        first, second = calls(facts, "f")
        yield Replace(first, "1")
        yield Replace(second, "g($0)", (first.args[0],))

    check("y = f(a)\nz = f(b)\n", edits, "y = 1\nz = g(a)\n")


def test_strings_inside_f_strings() -> None:
    result = emitted("""y = f"{f(a)}, {x['k']}"\n""", replaced('g("text", "it\'s")'))
    assert ast.unparse(ast.parse(result)) == ast.unparse(ast.parse("""y = f"{g('text', 'it`s')}, {x['k']}"\n"""))


def test_every_expression_is_found_in_source_order() -> None:
    source = """\
    @dec(f(a))
    def g(p: f(b) = f(c), *q: f(d), r=f(e), **s) -> f(h):
        return f(i) if f(j) else f(k)
    class C(f(l), *f(m), metaclass=f(n)): x = {f(o): f(p) for f.x in f(q) if f(r)}
    with f(s) as t, f(u): pass
    for v in f(w): pass
    else: f(x)
    try: pass
    except f(y) as e: f(z)
    y = f"{f(aa):{f(bb)}}" "c" f"{f(cc)!r}"
    z = lambda k=f(dd): f(ee)
    match f(ff):
        case f.Point(x=f.o) if f(gg): f(hh)
        case {f.key: 1, **rest}: pass
    a = b < f(ii) < c and f(jj) and f(kk) or d[f(ll), f(mm):f(nn)]
    """

    def edits(facts: Facts) -> Iterator[Replace]:
        for node in ast.walk(facts.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "f":
                yield Replace(node, f"X_{ast.unparse(node.args[0])}")
            elif isinstance(node, (ast.BoolOp, ast.Tuple)) and "ii" not in ast.unparse(node):
                yield Replace(node, "$0", (node,))

    result = emitted(source, edits)
    for name in "a b c d e h i j k l m n o p q r s u w x y z aa bb cc dd ee ff gg hh ii jj kk ll mm nn".split():
        assert f"X_{name}" in result
    assert "f(" not in result


def test_string_annotations() -> None:
    def edits(facts: Facts) -> Iterator[Replace]:
        for tree in facts.names.table.annotations.values():
            for node in ast.walk(tree):
                if facts.names.of(node) == "torch.Tensor":
                    assert isinstance(node, ast.Attribute)
                    yield Replace(node, "$mindspore.Tensor")

    check(
        'import torch\ndef g(x: "list[torch.Tensor] | torch.Tensor") -> \'torch.Tensor\': pass\n',
        edits,
        'import mindspore\ndef g(x: "list[mindspore.Tensor] | mindspore.Tensor") -> \'mindspore.Tensor\': pass\n',
    )
