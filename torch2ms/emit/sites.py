"""The statements of a file in ast and libcst, joined block by block. A disagreement raises JoinError."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from torch2ms.emit.pieces import Pieces
from torch2ms.emit.verbatim import Verbatim

_TRIES = (ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
_OTHER_NAMES = {"AsyncFunctionDef": "FunctionDef", "AsyncFor": "For", "AsyncWith": "With", "Delete": "Del"}
class JoinError(Exception):
    """ast and libcst disagree about a file; it is left alone."""


class _Statements:
    """The statements of a block, taken one after the other."""

    def __init__(self, stmts: Sequence[ast.stmt]) -> None:
        self._stmts = stmts
        self._next = 0

    @property
    def ahead(self) -> ast.stmt | None:
        """The next statement, which stays."""
        return self._stmts[self._next] if self._next < len(self._stmts) else None

    def take(self) -> ast.stmt | None:
        """The next statement; None at the end."""
        stmt = self.ahead
        self._next += 1
        return stmt

    def skip(self, count: int) -> None:
        """Passes some statements over."""
        self._next += count


class Pairs:
    """The statements of a file in both trees."""

    def __init__(self, tree: ast.Module, pieces: Pieces) -> None:
        # statement -> the line that holds it, and its own libcst node (the same where the statement is compound)
        self.cst_of: dict[ast.stmt, tuple[Any, Any]] = {}
        self.stmts_of: dict[cst.CSTNode, Sequence[ast.stmt]] = {}
        self.elif_of: dict[cst.If, ast.If] = {}
        # the lines that hold the place of unchanged statements -> the text of these
        self.folded: dict[cst.CSTNode, Verbatim] = {}
        self._texts = pieces.folded
        self._block(tree.body, pieces.module)

    def line_mates(self, stmt: ast.stmt) -> int:
        """How many statements share the line of this one (itself included)."""
        line, node = self.cst_of[stmt]
        return 1 if line is node else len(line.body)

    def _block(self, stmts: Sequence[ast.stmt], block: Any) -> None:
        self.stmts_of[block] = stmts
        todo = _Statements(stmts)
        lines: Sequence[Any] = [block] if isinstance(block, cst.SimpleStatementSuite) else block.body
        for line in lines:
            text = line if isinstance(line, Verbatim) else self._texts.get(todo.ahead)  # type: ignore[arg-type]
            if text is not None:
                todo.skip(text.count)
                if text is not line:
                    self.folded[line] = text.with_changes(leading_lines=line.leading_lines)
            elif isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
                for small in line.body:
                    self.cst_of[self._matching(todo, small)] = (line, small)
            else:
                stmt = self._matching(todo, line)
                self.cst_of[stmt] = (line, line)
                self._inner(stmt, line)
        if todo.ahead is not None:
            raise JoinError("a block has fewer statements in libcst than in ast")

    def _matching(self, todo: _Statements, node: cst.CSTNode) -> ast.stmt:
        stmt = todo.take()
        kind = type(stmt).__name__
        if stmt is None or _OTHER_NAMES.get(kind, kind) != type(node).__name__:
            raise JoinError(f"ast has {kind} where libcst has {type(node).__name__}")
        return stmt

    def _inner(self, stmt: Any, node: Any) -> None:
        if isinstance(stmt, ast.Match):
            for case, part in zip(stmt.cases, node.cases, strict=True):
                self._block(case.body, part.body)
            return
        self._block(stmt.body, node.body)
        if isinstance(stmt, _TRIES):
            for handler, part in zip(stmt.handlers, node.handlers, strict=True):
                self._block(handler.body, part.body)
        self._orelse(getattr(stmt, "orelse", None), getattr(node, "orelse", None))
        if getattr(stmt, "finalbody", None):
            self._block(stmt.finalbody, node.finalbody.body)

    def _orelse(self, orelse: list[ast.stmt] | None, node: Any) -> None:
        if bool(orelse) != (node is not None):
            raise JoinError("an else that only one tree has")
        if not orelse:
            return
        if isinstance(node, cst.If):
            stmt = orelse[0]
            if len(orelse) != 1 or not isinstance(stmt, ast.If):
                raise JoinError("an elif that only one tree has")
            self.cst_of[stmt] = (node, node)
            self.elif_of[node] = stmt
            self._inner(stmt, node)
        else:
            self._block(orelse, node.body)
