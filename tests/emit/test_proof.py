"""A broken emitter is caught: whatever is lost, moved or changed beside the edits keeps the file from being written."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.emit.edited import calls, plain, stmt
from tests.emit.test_random_edits import SOURCES, random_edits
from torch2ms.analysis.facts import Facts, Options, facts_for
from torch2ms.convert import convert_source
from torch2ms.edits import Arg, CallEdit, Def, Edit, Insert, Keep, New, Rename, Replace, Splice
from torch2ms.emit import Emitted, Unproven, emit, rewrite
from torch2ms.emit.blocks import Blocks
from torch2ms.emit.inline import _Inliner
from torch2ms.emit.rewrite import Rewriter
from torch2ms.emit.verbatim import Verbatim
from torch2ms.source import SourceFile

PROGRAM = """\
import torch
from torch import nn

LIMIT = 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.calls = 0

    def forward(self, x):
        self.calls += torch.add(torch.ones(1), 1).item()
        if self.calls > LIMIT:
            print("many")
            return self.fc(torch.sum(x, axis=0, keepdims=True))
        else:
            print("few")
        return self.fc(x)


def main(n):
    total = 0
    for i in range(n):
        net = Net()
        total += i; net.eval(); print(total)
        out = net(torch.zeros(1, 4), *[]); print(f"{i}: {out.size(0)} {total}")
    return total
"""


def drop_clean_lines(patch: pytest.MonkeyPatch) -> None:
    def passing(self: Verbatim, state: Any) -> None:
        text = self.text.lstrip("\n")
        state.add_token(text[: len(text) - len(text.lstrip(" "))] + "pass\n" if self.count else self.text)

    patch.setattr(Verbatim, "_codegen_impl", passing)


def drop_changed_statements(patch: pytest.MonkeyPatch) -> None:
    place = Blocks.place
    patch.setattr(Blocks, "place", lambda self, s, lines: None if isinstance(s, ast.Return) else place(self, s, lines))


def repeat_statements(patch: pytest.MonkeyPatch) -> None:
    place = Blocks.place

    def twice(self: Blocks, s: ast.stmt, lines: Any) -> None:
        place(self, s, lines)
        if isinstance(s, ast.Return):
            place(self, s, lines)

    patch.setattr(Blocks, "place", twice)


def drop_the_last_of_every_sequence(patch: pytest.MonkeyPatch) -> None:
    sequence = Rewriter._sequence
    patch.setattr(Rewriter, "_sequence", lambda self, nodes: list(sequence(self, nodes))[: max(1, len(nodes) - 1)])


def swap_branches(patch: pytest.MonkeyPatch) -> None:
    rebuilt = Rewriter._rebuilt

    def swapped(self: Rewriter, node: Any) -> Any:
        new = rebuilt(self, node)
        if type(new).__name__ == "If" and type(new.orelse).__name__ == "Else":
            return new.with_changes(body=new.orelse.body, orelse=new.orelse.with_changes(body=new.body))
        return new

    patch.setattr(Rewriter, "_rebuilt", swapped)


def forget_the_edits_of_calls(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rewrite, "edited_call", lambda edit, original, updated, rewriter: original)


def drop_the_text_around_edits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(_Inliner, "_slice", lambda self, start, end, below: "()" if below else self._source.slice(start, end))


def empty_every_block(patch: pytest.MonkeyPatch) -> None:
    collect = Blocks._collect
    patch.setattr(
        Blocks, "_collect", lambda self, node, stmts, lines: collect(self, node, stmts, lines) if lines.top else None
    )


FAULTS = (
    drop_clean_lines,
    drop_changed_statements,
    repeat_statements,
    drop_the_last_of_every_sequence,
    swap_branches,
    forget_the_edits_of_calls,
    drop_the_text_around_edits,
    empty_every_block,
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_a_broken_emitter_writes_nothing(fault: Callable[[pytest.MonkeyPatch], None]) -> None:
    assert convert_source(PROGRAM).changed
    with pytest.MonkeyPatch.context() as patch:
        fault(patch)
        result = convert_source(PROGRAM)
    assert not result.changed
    assert [d.code for d in result.diagnostics] == ["T2M901"]
    if fault is not drop_the_last_of_every_sequence:  # here the emitter itself stumbles
        assert "Unproven" in result.diagnostics[0].message


def test_the_line_of_what_was_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_the_edits_of_calls(monkeypatch)
    (diagnostic,) = convert_source("import torch\n\nx = 1\ny = torch.nn.Linear(1, 2, device=None)\n").diagnostics
    assert diagnostic.span.line == 4


def emission(text: str, edits: Callable[[Facts], list[Edit]]) -> Emitted:
    """What an emitter made of a text, not proved yet."""
    tree = ast.parse(text)
    facts = facts_for(SourceFile("source.py", text), tree)
    return emit(text, tree, edits(facts), facts.names, Options())


def is_proved(emitted: Emitted, output: str) -> bool:
    """Whether another output counts as right too."""
    try:
        Emitted(output, emitted.source, emitted.tree, emitted.index).prove(ast.parse(output))
    except Unproven:
        return False
    return True


def deletions(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree with one statement less."""
    for number, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            for index in range(len(block) if isinstance(block, list) else 0):
                if isinstance(block[index], ast.Pass) and len(block) == 1:
                    continue
                changed = copy.deepcopy(tree)
                left = getattr(list(ast.walk(changed))[number], field)
                left[index : index + 1] = [ast.Expr(ast.Constant(...))] if len(left) == 1 else []
                yield changed


def alterations(tree: ast.Module) -> Iterator[ast.Module]:
    """The tree with another value in the place of an expression that the program names or spells out."""
    for number, node in enumerate(ast.walk(tree)):
        changed = copy.deepcopy(tree)
        other = list(ast.walk(changed))[number]
        match node:
            case ast.Attribute(attr=attr) if attr.islower():
                other.attr = attr + "_other"
            case ast.Constant(value=int()):
                other.value = node.value + 1
            case ast.BinOp() | ast.Compare():
                other.left = ast.Constant("other")
            case ast.Call() if node.args:
                other.args = node.args[:-1]
            case ast.Call() if node.keywords:
                other.keywords = node.keywords[1:]
            case _:
                continue
        yield changed


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_every_statement_counts(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    emitted = emission(text, lambda facts: list(random_edits(facts, random.Random(1))))
    tree = ast.parse(emitted.text)
    assert is_proved(emitted, ast.unparse(tree)), "layout does not matter"
    found = list(deletions(tree))
    for changed in random.Random(2).sample(found, min(len(found), 15)):
        assert not is_proved(emitted, ast.unparse(ast.fix_missing_locations(changed)))


def test_every_expression_counts() -> None:
    emitted = emission(PROGRAM, lambda facts: [CallEdit(calls(facts, "sum")[0], "f"), Replace(calls(facts, "size")[0], "g")])
    tree = ast.parse(emitted.text)
    assert is_proved(emitted, ast.unparse(tree))
    found = list(alterations(tree))
    assert len(found) > 20
    for changed in found:
        assert not is_proved(emitted, ast.unparse(ast.fix_missing_locations(changed)))


SMALL = "def f(a):\n    b = g(a, 1, c=2)\n    h(b)\n    return b\n"


@pytest.mark.parametrize(
    ("edits", "right", "wrong"),
    [
        (lambda f: [Replace(calls(f, "g")[0], "$mint.cat($0)", (f.tree.body[0].body[0].value.args[0],))], "mint.cat(a)", "mint.cat(b)"),
        (lambda f: [CallEdit(calls(f, "g")[0], None, (Arg("3"), Arg("4", "d")))], "g(3, d=4)", "g(3, e=4)"),
        (lambda f: [CallEdit(calls(f, "g")[0], None, (Arg("3"), Arg("4", "d")))], "g(3, d=4)", "g(*3, d=4)"),
        (lambda f: [CallEdit(calls(f, "g")[0], "k")], "k(a, 1, c=2)", "k(a, 1)"),
        (lambda f: [Rename(calls(f, "g")[0].keywords[0], "d")], "g(a, 1, d=2)", "g(a, 1, c=2)"),
        (lambda f: [Rename(f.tree.body[0], "k")], "def k", "def f"),
        (lambda f: [Insert(stmt(f, "h(b)"), "before", (New("k()"),))], "    k()\n    h(b)", "    h(b)\n    k()"),
        (lambda f: [Splice(stmt(f, "h(b)"), ())], "", "    h(b)\n"),
        (
            lambda f: [Splice(stmt(f, "h(b)"), (Def("k($0)", (Keep(stmt(f, "h(b)")),), parts=(calls(f, "h")[0].args[0],)),))],
            "def k(b):\n        h(b)",
            "def k(b):\n        pass\n    h(b)",
        ),
    ],
)
def test_each_kind_of_edit(edits: Callable[[Facts], list[Edit]], right: str, wrong: str) -> None:
    emitted = emission(SMALL, edits)
    assert right in emitted.text and is_proved(emitted, emitted.text)
    # an edit that removes something: its text is put back
    output = emitted.text.replace(right, wrong) if right else emitted.text.replace("    return", wrong + "    return")
    assert output != emitted.text and not is_proved(emitted, output)


def test_moved_statements_keep_their_order() -> None:
    text = plain("a = 1\nb = 2\nif c:\n    d = 3\n")
    emitted = emission(text, lambda f: [Splice(f.tree.body[1], ()), Splice(f.tree.body[2], tuple(map(Keep, f.tree.body[2].body)))])
    assert emitted.text == "a = 1\nd = 3\n"
    assert not is_proved(emitted, "d = 3\na = 1\n") and not is_proved(emitted, "a = 1\nif c:\n    d = 3\n")
