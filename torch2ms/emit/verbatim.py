"""Lines of a block in which nothing changes, taken from the source as text: nothing has to be spelled out again."""
from __future__ import annotations

import ast
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

_EMPTY = re.compile(r"([ \t\f]*)(#[^\r\n]*)?(\r\n|\n|\r|\Z)")
_SUITES = (cst.SimpleStatementLine, cst.SimpleStatementSuite)


@dataclass(frozen=True)
class Verbatim(cst.BaseStatement):
    """Whole lines of the source, indentation and line ends included; `count` statements stand on them."""

    text: str
    count: int = 0
    leading_lines: Sequence[cst.EmptyLine] = ()

    def opened(self) -> Verbatim:
        """The same with the comments and blank lines at its top as nodes, so that other lines can be put before it."""
        lead: list[cst.EmptyLine] = []
        lines = io.StringIO(self.text, newline="").readlines()
        for line in lines:
            match = _EMPTY.match(line)
            if match is None:
                break
            comment = cst.Comment(match[2]) if match[2] else None
            space, end = cst.SimpleWhitespace(match[1]), cst.Newline(match[3] or None)
            lead.append(cst.EmptyLine(indent=False, whitespace=space, comment=comment, newline=end))
        return Verbatim("".join(lines[len(lead) :]), self.count, [*self.leading_lines, *lead])

    def _visit_and_replace_children(self, visitor: Any) -> Verbatim:
        return self

    def _codegen_impl(self, state: Any) -> None:
        for line in self.leading_lines:
            line._codegen(state)
        if not self.text:
            return
        body = self.text.rstrip("\r\n")
        end = self.text[len(body) :]
        state.add_token(body)
        # the line end is a token of its own, as a module that ends without one drops the last token
        state.add_token(end or state.default_newline)


class SourceLines:
    """The lines of a file as Python counts them."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="").readlines()
        self.count = len(self._lines)

    def text(self, first: int, last: int) -> str:
        """The text of some lines, counted from 1, both ends included."""
        return "".join(self._lines[first - 1 : last])

    def commented(self) -> frozenset[int]:
        """The lines that may hold a comment."""
        return frozenset(number for number, line in enumerate(self._lines, 1) if "#" in line)


def spans(stmts: Sequence[ast.stmt], rows: Sequence[Any]) -> list[tuple[int, int]] | None:
    """The first and last line of each row of a block, comments above and below included; None where that does not add up."""
    found: list[tuple[int, int]] = []
    todo = iter(stmts)
    for row in rows:
        mates = [next(todo) for _ in row.body] if isinstance(row, _SUITES) else [next(todo)]
        first = min([mates[0].lineno, *(d.lineno for d in getattr(mates[0], "decorator_list", ()))]) - len(row.leading_lines)
        if found and first != found[-1][1] + 1:
            return None
        found.append((first, (mates[-1].end_lineno or 0) + _below(row)))
    return found


def _below(row: Any) -> int:
    """How many comment lines stand after the last statement inside a row and still belong to it."""
    if isinstance(row, _SUITES):
        return 0
    if isinstance(row, cst.Match):
        return len(row.footer) + _inside(row.cases[-1].body)
    last = getattr(row, "finalbody", None) or getattr(row, "orelse", None) or (getattr(row, "handlers", None) or [row])[-1]
    return _below(last) if isinstance(last, cst.If) and last is not row else _inside(last.body)


def _inside(block: Any) -> int:
    if isinstance(block, cst.SimpleStatementSuite):
        return 0
    return len(block.footer) + _below(block.body[-1])
