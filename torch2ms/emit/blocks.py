"""Puts blocks together: statements replaced, removed, moved and added, their comments kept."""
from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

from torch2ms.edits import Def, Item, Keep, New
from torch2ms.emit.lines import Lines, blank, comment_line
from torch2ms.emit.orphans import orphans
from torch2ms.emit.suites import indented, joined_line, suite
from torch2ms.emit.verbatim import Verbatim

if TYPE_CHECKING:
    from torch2ms.emit.rewrite import Rewriter

_SMALL = (cst.SimpleStatementLine, cst.SimpleStatementSuite)


class Blocks:
    """Block by block; asks the rewriter for each statement."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter

    def block(self, node: Any) -> Any:
        """A module, an indented block or a one-line suite with everything planned inside it."""
        stmts = self._rewriter.pairs.stmts_of[node]
        folded = any(row in self._rewriter.pairs.folded for row in node.body)
        if not folded and not any(stmt in self._rewriter.index.rebuilt for stmt in stmts):
            return node
        top = isinstance(node, cst.Module)
        lines = Lines(top=top, first_stays=top)
        self._collect(node, stmts, lines)
        rest = lines.rest()
        if top:
            some = bool(lines.out or rest or node.header or node.footer)
            return node.with_changes(body=lines.out, footer=[*rest, *node.footer], has_trailing_newline=some and node.has_trailing_newline)
        if not lines.out:
            lines.carry(rest)
            rest = []
            lines.push(cst.SimpleStatementLine([cst.Pass()]))
        if isinstance(node, cst.SimpleStatementSuite):
            return suite(node, lines.out, rest)
        return node.with_changes(body=lines.out, footer=[*rest, *node.footer])

    def elif_branch(self, stmt: ast.If) -> Any:
        """An `elif`; where something replaces it, an `else` with that inside."""
        index = self._rewriter.index
        if not index.replaced(stmt):
            node = self._rewriter.statement(stmt)
            return self._displaced(stmt, node)
        lines = Lines(fresh=True)
        self.place(stmt, lines)
        rest = lines.rest()
        if not lines.out and not rest:
            return None
        if not lines.out:
            lines.push(cst.SimpleStatementLine([cst.Pass()], leading_lines=rest))
            rest = []
        return cst.Else(body=cst.IndentedBlock(body=lines.out, footer=rest))

    def _collect(self, node: Any, stmts: Sequence[ast.stmt], lines: Lines) -> None:
        todo = iter(stmts)
        index = self._rewriter.index
        rows: Sequence[Any] = [node] if isinstance(node, cst.SimpleStatementSuite) else node.body
        folded = self._rewriter.pairs.folded
        for row in rows:
            line = folded.get(row, row)
            if isinstance(line, Verbatim):
                lines.out.append(line) if lines.settled else lines.push(line.opened())
                for _ in range(line.count):
                    next(todo)
                continue
            mates = [next(todo) for _ in line.body] if isinstance(line, _SMALL) else [next(todo)]
            if not any(stmt in index.rebuilt for stmt in mates):
                lines.out.append(_as_line(line)) if lines.settled else lines.push(_as_line(line))
            elif len(mates) > 1:
                self._shared(line, mates, lines)
            elif mates[0] in index.moved:
                lead = [] if line is node else line.leading_lines
                lines.carry([row for row in lead[:1] if blank(row)])
            else:
                self.place(mates[0], lines)

    def place(self, stmt: ast.stmt, lines: Lines) -> None:
        """Everything that stands for a statement: what was inserted around it, and it or what replaces it."""
        index = self._rewriter.index
        for item in index.before.get(stmt, ()):
            self._item(item, lines, stmt)
        if stmt in index.wraps:
            for item in index.wraps[stmt].items:
                self._item(item, lines, stmt)
        else:
            self._own(stmt, lines)
        for item in index.after.get(stmt, ()):
            self._item(item, lines, stmt)

    def _own(self, stmt: ast.stmt, lines: Lines) -> None:
        splice = self._rewriter.index.splices.get(stmt)
        if splice is not None:
            self._splice(stmt, splice.items, lines)
        else:
            lines.push(self._line(stmt))

    def _line(self, stmt: ast.stmt) -> Any:
        """The statement on a line of its own, with its comments."""
        line, old = self._rewriter.pairs.cst_of[stmt]
        node = self._rewriter.statement(stmt)
        if line is old:
            return self._displaced(stmt, node)
        if self._rewriter.pairs.line_mates(stmt) == 1:
            line = _as_line(line)
            return self._displaced(stmt, line if node is old else line.with_changes(body=[node]))
        alone = cst.SimpleStatementLine([node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        first, last = old is line.body[0], old is line.body[-1]
        if first and isinstance(line, cst.SimpleStatementLine):
            alone = alone.with_changes(leading_lines=line.leading_lines)
        return self._displaced(stmt, alone.with_changes(trailing_whitespace=line.trailing_whitespace) if last else alone)

    def _displaced(self, stmt: ast.stmt, line: Any) -> Any:
        lost = self._rewriter.displaced.get(stmt)
        return line.with_changes(leading_lines=[*line.leading_lines, *map(comment_line, lost)]) if lost else line

    def _splice(self, stmt: ast.stmt, items: Sequence[Item], lines: Lines) -> None:
        """The items in the place of a statement; comments of what vanishes come first, or stay at the end of a new line."""
        lead, inner, trailing = orphans(stmt, self._rewriter)
        lines.carry([*lead, *map(comment_line, inner)])
        if trailing is not None and not any(isinstance(item, New) for item in items):
            lines.carry([comment_line(trailing.comment)])
            trailing = None
        for item in items:
            if isinstance(item, New) and trailing is not None:
                self._new(item, lines, stmt, trailing)
                trailing = None
            else:
                self._item(item, lines, stmt)

    def _item(self, item: Item, lines: Lines, anchor: ast.stmt) -> None:
        match item:
            case New():
                self._new(item, lines, anchor, None)
            case Def():
                lines.push(self._def(item, anchor), definition=True)
            case Keep(stmt) if stmt is anchor:
                self._own(stmt, lines)
            case Keep(stmt):
                self.place(stmt, lines)

    def _new(self, item: New, lines: Lines, anchor: ast.stmt, trailing: cst.TrailingWhitespace | None) -> None:
        if lines.out and isinstance(lines.out[-1], (cst.FunctionDef, cst.ClassDef)):
            lines.stand_apart()
        for line in self._rewriter.lines(item.template, item.parts, anchor):
            if trailing is not None:
                if isinstance(line, cst.SimpleStatementLine):
                    line = line.with_changes(trailing_whitespace=trailing)
                else:
                    lines.carry([comment_line(trailing.comment)])
                trailing = None
            lines.push(line)

    def _def(self, item: Def, anchor: ast.stmt) -> Any:
        decorators = "".join(f"@{d}\n" for d in item.decorators)
        (node,) = self._rewriter.lines(f"{decorators}def {item.header}:\n    pass", item.parts, anchor)
        lines = Lines(fresh=True)
        for inner in item.body:
            self._item(inner, lines, anchor)
        rest = lines.rest()
        if not lines.out:
            lines.push(cst.SimpleStatementLine([cst.Pass()]))
        return node.with_changes(body=cst.IndentedBlock(body=lines.out, footer=rest))

    def _shared(self, line: Any, mates: Sequence[ast.stmt], lines: Lines) -> None:
        """Statements that share a line with semicolons: they go on sharing it where all of them stay small."""
        own = Lines(top=lines.top, first_stays=True)
        for stmt in mates:
            if stmt not in self._rewriter.index.moved:
                self.place(stmt, own)
        rest = own.rest()
        together = joined_line(own.out, line)
        for row in own.out if together is None else [together]:
            lines.push(row, definition=row in own.definitions)
        lines.carry(rest)


def _as_line(line: Any) -> Any:
    return indented(line) if isinstance(line, cst.SimpleStatementSuite) else line
