"""The comments of a statement that vanishes, without those that live on in kept statements or used parts."""
from __future__ import annotations

import ast
from collections.abc import Container
from typing import TYPE_CHECKING, Any

import libcst as cst

from torch2ms.analysis.nodes import walk
from torch2ms.emit.nodes import comments

if TYPE_CHECKING:
    from torch2ms.emit.rewrite import Rewriter


def orphans(stmt: ast.stmt, rewriter: Rewriter) -> tuple[list[cst.EmptyLine], list[cst.Comment], cst.TrailingWhitespace | None]:
    """The lines above the statement, the comments inside it, and the end of its line where that holds a comment."""
    line, node = rewriter.pairs.cst_of[stmt]
    if line is node:
        return list(line.leading_lines), _inner(stmt, node, rewriter), None
    lead = list(line.leading_lines) if isinstance(line, cst.SimpleStatementLine) and node is line.body[0] else []
    end = line.trailing_whitespace
    return lead, _inner(stmt, node, rewriter), end if node is line.body[-1] and end.comment else None


def _inner(stmt: ast.stmt, node: Any, rewriter: Rewriter) -> list[cst.Comment]:
    moved = {rewriter.pairs.cst_of[s][0] for s in walk(stmt) if s in rewriter.index.moved} if rewriter.index.moved else set()
    moved.update(getattr(node, "leading_lines", ()))
    found = comments(node, moved)
    used: Container[cst.Comment] = _used(stmt, rewriter) if found else ()
    return [comment for comment in found if comment not in used]


def _used(stmt: ast.stmt, rewriter: Rewriter) -> set[cst.Comment]:
    """The comments in those parts of the statement that templates elsewhere use."""
    inside = {s for s in walk(stmt) if isinstance(s, ast.stmt)}
    parts = [part for part in rewriter.index.parts if rewriter.index.home(part) in inside]
    return {comment for part in parts for comment in comments(rewriter.part(part))}
