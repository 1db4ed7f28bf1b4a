"""Emission from edits that the test makes itself, so that no rule or transform has a say."""
from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterable

from tests.tools import comments
from torch2ms.analysis.facts import Facts, Options, facts_for
from torch2ms.edits import Edit
from torch2ms.emit import emit
from torch2ms.source import SourceFile


def plain(source: str) -> str:
    """The source without the indentation that it has in the test; one that is not indented stays byte for byte."""
    return textwrap.dedent(source) if source[:1].isspace() else source


def emitted(source: str, edits: Callable[[Facts], Iterable[Edit]], **options: object) -> str:
    """The text after the edits; it is proved to hold them and nothing else, and has all its comments."""
    text = plain(source)
    tree = ast.parse(text)
    facts = facts_for(SourceFile("source.py", text), tree)
    result = emit(text, tree, list(edits(facts)), facts.names, Options(**options))  # type: ignore[arg-type]
    result.prove(ast.parse(result.text))
    assert not comments(text) - comments(result.text)
    return result.text


def calls(facts: Facts, name: str) -> list[ast.Call]:
    """The calls of a function or method by the last word of its name, in source order."""
    found = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] == name]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def stmt(facts: Facts, start: str) -> ast.stmt:
    """The first statement whose text begins with `start`."""
    return next(n for n in ast.walk(facts.tree) if isinstance(n, ast.stmt) and ast.unparse(n).startswith(start))


def check(source: str, edits: Callable[[Facts], Iterable[Edit]], after: str, **options: object) -> None:
    """The edits turn `source` into exactly `after`."""
    result = emitted(source, edits, **options)
    assert result == plain(after), result
