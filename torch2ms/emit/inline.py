"""Edits that are put straight into the text of their statement: no tree has to be built and spelled out again for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from torch2ms.edits import CallEdit, Replace
from torch2ms.emit.index import Index
from torch2ms.emit.naming import Naming
from torch2ms.emit.placeholders import SLOT, spelled
from torch2ms.emit.source_lines import SourceLines

Place = tuple[int, int]
# expressions that can stand anywhere as they are
_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.ListComp)
# expressions that can stand between brackets as they are
_BRACKETED = (*_PRIMARY, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda)
_DEFINITION = re.compile(r"(?:(?:async\s+)?def|class)\s+(?=\w)")


class _Unfit(Exception):
    """The edits of a statement change more than some text on its lines."""


def inline(source: SourceLines, index: Index, naming: Naming) -> None:
    """Carries out what fits; the statements concerned count as unchanged from then on, all others are to be rebuilt."""
    inliner = _Inliner(source, index, naming)
    done: list[tuple[Place, Place, str]] = []
    for stmt, wanted in list(index.wanted.items()):
        try:
            done += inliner.changes(stmt, wanted)
        except _Unfit:
            index.rebuild(stmt)
        else:
            del index.wanted[stmt]
    for start, end, text in sorted(done, reverse=True):
        source.replace(start, end, text)


class _Inliner:
    def __init__(self, source: SourceLines, index: Index, naming: Naming) -> None:
        self._source = source
        self._index = index
        self._naming = naming
        # the edited nodes right below an edited node, or below the statement
        self._below: dict[ast.AST, list[ast.AST]] = {}

    def changes(self, stmt: ast.stmt, wanted: set[ast.AST]) -> list[tuple[Place, Place, str]]:
        """The new text of some places of a statement."""
        index = self._index
        self._below = {}
        for node in wanted:
            if node in index.parts or node in index.renaming:
                raise _Unfit
            if node is stmt or node not in index.expressions:
                continue
            self._below.setdefault(self._above(node, stmt), []).append(node)
        found = [(_start(node), _end(node), self._rendered(node)) for node in self._below.get(stmt, ())]
        return [*found, self._renamed(stmt)] if stmt in wanted else found

    def _above(self, node: ast.AST, stmt: ast.stmt) -> ast.AST:
        above = self._index.parent(node)
        while above is not None and above is not stmt and above not in self._index.expressions:
            if isinstance(above, (ast.JoinedStr, ast.Constant)):
                raise _Unfit
            above = self._index.parent(above)
        return above or stmt

    def _renamed(self, stmt: Any) -> tuple[Place, Place, str]:
        """The name behind `def` or `class`."""
        match = _DEFINITION.match(self._source.line(stmt.lineno), stmt.col_offset)
        if match is None or not self._source.line(stmt.lineno).isascii():
            raise _Unfit
        start = stmt.lineno, match.end()
        return start, (stmt.lineno, match.end() + len(stmt.name)), self._index.renames[stmt]

    def _rendered(self, node: Any) -> str:
        """The text of an edited node."""
        edit = self._index.expressions[node]
        lines = [self._source.line(number) for number in range(node.lineno, node.end_lineno + 1)]
        if not all(line.isascii() for line in lines) or len(lines) > 1 and any("#" in line for line in lines):
            raise _Unfit
        text = self._call(edit) if isinstance(edit, CallEdit) else self._replaced(edit)
        # a parenthesis may be all that kept the node apart from a word beside it: `return(x).to(device)`
        before = node.col_offset and _is_word(lines[0][node.col_offset - 1]) and _is_word(text[0])
        after = _is_word(text[-1]) and _is_word(lines[-1][node.end_col_offset : node.end_col_offset + 1])
        return " " * bool(before) + text + " " * after

    def _call(self, edit: CallEdit) -> str:
        """The call with another callee, the arguments as they were."""
        call, func = edit.node, edit.node.func
        if edit.args is not None:
            raise _Unfit
        below = self._below.get(call, ())
        if edit.func is None:
            return self._slice(_start(call), _end(call), below)
        rest = self._slice(_end(func), _end(call), below)
        if edit.func.startswith("$0."):
            return self._attribute(func, edit.func, below) + rest
        if "$0" in edit.func or not _is_dotted(edit.func):
            raise _Unfit
        return self._naming.spelled(edit.func, call) + rest

    def _attribute(self, node: ast.expr, template: str, below: Sequence[ast.AST]) -> str:
        """The attribute under another name, with the line breaks before it."""
        if not template[3:].isidentifier() or not isinstance(node, ast.Attribute):
            raise _Unfit
        line, col = _end(node)
        start = line, col - len(node.attr)
        if self._source.slice(start, (line, col)) != node.attr:
            raise _Unfit
        return self._slice(_start(node), start, below) + template[3:]

    def _replaced(self, edit: Replace) -> str:
        node, template = edit.node, edit.template
        below = self._below.get(node, ())
        if isinstance(node, ast.Attribute) and edit.parts == (node.value,) and template.startswith("$0."):
            return self._attribute(node, template, below)
        if "\n" in template:
            raise _Unfit
        places = _places(template)
        texts = [self._part(part, places.get(number), node, below) for number, part in enumerate(edit.parts)]
        source = self._naming.spelled(template, node)
        return SLOT.sub(lambda match: texts[int(match[1])], source) if texts else source

    def _part(self, part: ast.expr, kinds: tuple[type, ...] | None, node: ast.expr, below: Sequence[ast.AST]) -> str:
        if kinds is None:
            return ""
        start, end = _start(part), _end(part)
        if not isinstance(part, kinds) or start < _start(node) or end > _end(node):
            raise _Unfit
        # outside brackets a line break needs those that the whole stands in
        if kinds is _PRIMARY and start[0] != end[0] and start != _start(node):
            raise _Unfit
        if part is node or part not in self._index.expressions:
            return self._slice(start, end, [n for n in below if start <= _start(n) and _end(n) <= end])
        return self._rendered(part)

    def _slice(self, start: Place, end: Place, below: Sequence[ast.AST]) -> str:
        """The text between two places, with the edited nodes in it rendered."""
        parts: list[str] = []
        for node in sorted(below, key=_start):
            if start <= _start(node) and _end(node) <= end:
                parts += [self._source.slice(start, _start(node)), self._rendered(node)]
                start = _end(node)
        return "".join([*parts, self._source.slice(start, end)])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _start(node: Any) -> Place:
    return node.lineno, node.col_offset


def _end(node: Any) -> Place:
    return node.end_lineno, node.end_col_offset


@lru_cache(maxsize=4096)
def _tree(template: str) -> ast.expr:
    return ast.parse(spelled(template, lambda name: name).strip(), mode="eval").body


@lru_cache(maxsize=4096)
def _is_dotted(template: str) -> bool:
    tree = _tree(template)
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return isinstance(tree, ast.Name)


@lru_cache(maxsize=4096)
def _places(template: str) -> dict[int, tuple[type, ...]]:
    """Which expressions can stand in each slot of a template without parentheses around them."""
    tree = _tree(template)
    if not isinstance(tree, (*_PRIMARY, ast.Constant)) or isinstance(tree, ast.Constant) and not isinstance(tree.value, (str, bool)):
        raise _Unfit
    return dict(_slots(tree, _PRIMARY))


def _slots(node: ast.AST, kinds: tuple[type, ...]) -> Iterator[tuple[int, tuple[type, ...]]]:
    slot = SLOT.fullmatch(node.id) if isinstance(node, ast.Name) else None
    if slot is not None:
        yield int(slot[1]), kinds
        return
    for field, value in ast.iter_fields(node):
        bracketed = isinstance(node, ast.Call) and field == "args" or isinstance(node, ast.keyword)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _slots(child, _BRACKETED if bracketed else _PRIMARY)


__all__ = ["inline"]
