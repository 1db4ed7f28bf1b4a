"""Random edits of real sources: the output parses, keeps all comments, and keeps every line that no edit is about."""
from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools import comments
from torch2ms.analysis.facts import Facts, Options, facts_for
from torch2ms.edits import Arg, CallEdit, Def, Edit, Insert, Keep, New, Replace, Splice
from torch2ms.emit import emit
from torch2ms.source import SourceFile

SOURCES = sorted(Path(__file__).parent.parent.parent.joinpath("torch2ms").glob("[a-z]*/*.py"))[::25]
_FIXED = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Break, ast.Continue, ast.Return, ast.FunctionDef, ast.ClassDef)


def random_edits(facts: Facts, chance: random.Random) -> Iterator[Edit]:
    """Removes, replaces, wraps and moves statements, and rebuilds calls, here and there."""
    taken: set[ast.AST] = set()
    for node in ast.walk(facts.tree):
        if node in taken or any(isinstance(n, _FIXED) for n in ast.walk(node)) or chance.random() > 0.15:
            continue
        if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.With)) and "__future__" not in ast.unparse(node):
            taken.update(ast.walk(node))
            match chance.randrange(5):
                case 0:
                    yield Splice(node, ())
                case 1:
                    yield Splice(node, (New("new_name = 1"),))
                case 2:
                    yield Splice(node, (Def("fn()", (Keep(node), New("return 1"))), New("fn()")))
                case 3:
                    yield Insert(node, chance.choice(("before", "after")), (New("if new_name:\n    pass"),))
                case 4 if isinstance(node, (ast.If, ast.For, ast.With)) and not getattr(node, "orelse", None):
                    yield Splice(node, tuple(map(Keep, node.body)))
        elif isinstance(node, ast.Call) and not any(isinstance(n, (ast.Starred, ast.JoinedStr, ast.NamedExpr)) for n in ast.walk(node)):
            taken.update(ast.walk(node))
            args = [Arg(a) for a in node.args] + [Arg(k.value, k.arg, "" if k.arg else "**") for k in node.keywords]
            if chance.random() < 0.5:
                yield CallEdit(node, "$mint.f", tuple(args[: len(args) // 2]))
            else:
                yield Replace(node, "$mint.f($0) + 1" if node.args else "$mint.g", tuple(node.args[:1]))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
@pytest.mark.parametrize("seed", range(3))
def test_random_edits(path: Path, seed: int) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    facts = facts_for(SourceFile(path.name, text), tree)
    edits = list(random_edits(facts, random.Random(seed)))
    emitted = emit(text, tree, edits, facts.names, Options())
    result = emitted.text
    emitted.prove(ast.parse(result))
    assert not comments(text) - comments(result)
    touched = {line for edit in edits for line in _lines(edit)}
    kept = Counter(line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in touched and line.strip())
    assert not kept - Counter(line.strip() for line in result.splitlines())


def _lines(edit: Edit) -> range:
    """The lines that an edit may change: those of its node, and the head of the block that an empty body leaves behind."""
    node = edit.stmt if isinstance(edit, (Splice, Insert)) else edit.node
    return range(node.lineno - 1, (node.end_lineno or node.lineno) + 1)
