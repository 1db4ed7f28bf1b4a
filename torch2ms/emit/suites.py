"""One-line suites and lines that statements share."""
from __future__ import annotations

from typing import Any

import libcst as cst

from torch2ms.emit.lines import blank

_SEMICOLON = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))


def indented(node: cst.SimpleStatementSuite) -> cst.SimpleStatementLine:
    """The statements of a one-line suite as a line of a block."""
    return cst.SimpleStatementLine(body=node.body, trailing_whitespace=node.trailing_whitespace)


def _smalls(rows: list[Any]) -> list[Any] | None:
    """The small statements of the rows; None where a row is compound or has comments of its own between others."""
    found: list[Any] = []
    for position, row in enumerate(rows):
        if not isinstance(row, cst.SimpleStatementLine):
            return None
        if position and any(not blank(line) for line in row.leading_lines):
            return None
        if position < len(rows) - 1 and row.trailing_whitespace.comment:
            return None
        found += row.body
    return found


def joined_line(rows: list[Any], line: Any) -> cst.SimpleStatementLine | None:
    """The rows on one line again, as `line` had them; None where that cannot be."""
    smalls = _smalls(rows)
    if not smalls:
        return None
    style = next((s.semicolon for s in line.body if isinstance(s.semicolon, cst.Semicolon)), _SEMICOLON)
    body = [s if isinstance(s.semicolon, cst.Semicolon) else s.with_changes(semicolon=style) for s in smalls[:-1]]
    last = smalls[-1]
    trailing = line.body[-1].semicolon
    body.append(last.with_changes(semicolon=trailing))
    return cst.SimpleStatementLine(body=body, leading_lines=rows[0].leading_lines, trailing_whitespace=rows[-1].trailing_whitespace)


def suite(node: cst.SimpleStatementSuite, rows: list[Any], rest: list[cst.EmptyLine]) -> Any:
    """A one-line suite with these rows: on one line where they fit, else an indented block."""
    smalls = _smalls(rows)
    if smalls is not None and not rest and not any(not blank(line) for line in rows[0].leading_lines):
        together = joined_line(rows, node)
        if together is not None:
            return node.with_changes(body=together.body, trailing_whitespace=together.trailing_whitespace)
    return cst.IndentedBlock(body=rows, footer=rest)


