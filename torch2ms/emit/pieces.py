"""A file as libcst reads it, but only where something changes: runs of unchanged statements stay text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from torch2ms.emit.index import Index
from torch2ms.emit.source_lines import SourceLines
from torch2ms.emit.verbatim import Verbatim


class Pieces:
    """`module`: what libcst read. `folded`: the first of some unchanged statements -> their text; a `pass` holds their place."""

    def __init__(self, source: SourceLines, tree: ast.Module, index: Index) -> None:
        self._source = source
        self._index = index
        self.folded: dict[ast.stmt, Verbatim] = {}
        self.commented = self._source.commented()
        module = self._parsed(tree, source.text(source.count, source.count).endswith(("\n", "\r")))
        if module is None:
            self.folded = {}
            module = cst.parse_module(source.text(1, source.count))
        self.module = module

    def _parsed(self, tree: ast.Module, ends: bool) -> cst.Module | None:
        """The top-level statements that change, read one by one; None where they differ in indentation or line ends."""
        rows: list[Any] = []
        indents: set[str] = set()
        newlines: set[str] = set()
        for first, last, stmts in _groups(tree, self._source.count):
            if not any(stmt in self._index.rebuilt for stmt in stmts):
                rows.append(Verbatim(self._source.text(first, last), count=len(stmts)))
                continue
            module = cst.parse_module(self._shortened(first, last, stmts))
            if module.header and first == 1:
                # what stands at the top of a file speaks of the file
                rows.append(Verbatim(self._source.text(1, len(module.header))))
                module = module.with_changes(header=[])
            rows += _rows(module)
            newlines.add(module.default_newline)
            if _is_indented(module):
                indents.add(module.default_indent)
        if len(indents) > 1 or len(newlines) > 1:
            return None
        indent, newline = next(iter(indents), "    "), next(iter(newlines), "\n")
        return cst.Module(rows, default_indent=indent, default_newline=newline, has_trailing_newline=ends)

    def _shortened(self, first: int, last: int, stmts: Sequence[ast.stmt]) -> str:
        """The text of some lines with a `pass` for every run of unchanged statements inside."""
        parts: list[str] = []
        for start, end, indent in self._runs(stmts):
            parts += [self._source.text(first, start - 1), indent, "pass", self._source.line_end(end)]
            first = end + 1
        return "".join([*parts, self._source.text(first, last)])

    def _runs(self, stmts: Sequence[ast.stmt]) -> Iterator[tuple[int, int, str]]:
        """The lines of unchanged statements inside changed ones that stay in place, with their indentation."""
        for stmt in stmts:
            # an unchanged `elif` is no statement of its own in libcst and is not entered either
            if stmt in self._index.rebuilt and not self._index.replaced(stmt):
                for block in _blocks(stmt):
                    yield from self._in_block(block)

    def _in_block(self, block: Sequence[ast.stmt]) -> Iterator[tuple[int, int, str]]:
        run: list[ast.stmt] = []
        for stmt in [*block, None]:
            if stmt is not None and stmt not in self._index.rebuilt and not self._is_elif(stmt):
                run.append(stmt)
                continue
            if run:
                yield from self._fold(run, block, stmt)
                run = []
            if stmt is not None:
                yield from self._runs([stmt])

    def _fold(self, run: list[ast.stmt], block: Sequence[ast.stmt], after: ast.stmt | None) -> Iterator[tuple[int, int, str]]:
        first, end = _first_line(run[0]), run[-1].end_lineno or 0
        indent = self._source.indentation(first)
        index = block.index(run[0])
        shares = index > 0 and (block[index - 1].end_lineno or 0) >= first or after is not None and _first_line(after) <= end
        if shares or len(indent) != run[0].col_offset:
            return
        self.folded[run[0]] = Verbatim(self._source.text(first, end), count=len(run))
        yield first, end, indent

    def _is_elif(self, stmt: ast.stmt) -> bool:
        return isinstance(stmt, ast.If) and self._source.text(stmt.lineno, stmt.lineno).lstrip().startswith("elif")


def _groups(tree: ast.Module, lines: int) -> Iterator[tuple[int, int, list[ast.stmt]]]:
    """Runs of lines: each statement that starts a line with the comments above it and what shares its lines; then the rest."""
    first, group = 1, list[ast.stmt]()
    for stmt in tree.body:
        if group and stmt.lineno > (group[-1].end_lineno or 0):
            yield first, group[-1].end_lineno or 0, group
            first, group = (group[-1].end_lineno or 0) + 1, []
        group.append(stmt)
    if group:
        yield first, group[-1].end_lineno or 0, group
        first = (group[-1].end_lineno or 0) + 1
    if first <= lines:
        yield first, lines, []


def _first_line(stmt: ast.stmt) -> int:
    return min([stmt.lineno, *(decorator.lineno for decorator in getattr(stmt, "decorator_list", ()))])


def _blocks(stmt: Any) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement in source order."""
    for case in getattr(stmt, "cases", ()):
        yield case.body
    yield getattr(stmt, "body", [])
    for handler in getattr(stmt, "handlers", ()):
        yield handler.body
    yield getattr(stmt, "orelse", [])
    yield getattr(stmt, "finalbody", [])


def _rows(module: cst.Module) -> list[Any]:
    """The lines of a piece, with what libcst puts above them as part of them."""
    first, *others = module.body
    if module.header:
        first = first.with_changes(leading_lines=[*module.header, *first.leading_lines])
    return [first, *others]


def _is_indented(module: cst.Module) -> bool:
    return any(isinstance(getattr(row, "body", None), cst.IndentedBlock) or isinstance(row, cst.Match) for row in module.body)
