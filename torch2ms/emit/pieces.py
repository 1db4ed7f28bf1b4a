"""A file as libcst reads it, but only where something changes: top-level statements in between stay text."""
from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import Any

import libcst as cst

from torch2ms.emit.verbatim import SourceLines, Verbatim


def parse(text: str, tree: ast.Module, dirty: Container[ast.AST]) -> tuple[cst.Module, SourceLines]:
    """The module and its lines. Where libcst would see different indentation or line ends in its parts, it reads the whole file."""
    source = SourceLines(text)
    rows: list[Any] = []
    styles: set[tuple[str, str]] = set()
    for first, last, stmts in _groups(tree, source.count):
        piece = source.text(first, last)
        if not any(stmt in dirty for stmt in stmts):
            rows.append(Verbatim(piece, count=len(stmts)))
            continue
        module = cst.parse_module(piece)
        if module.header and first == 1:
            # what stands at the top of a file speaks of the file
            rows.append(Verbatim(source.text(1, len(module.header))))
            module = module.with_changes(header=[])
        rows += _rows(module)
        styles.add((module.default_indent if _is_indented(module) else "", module.default_newline))
    indents = {indent for indent, _ in styles if indent}
    newlines = {newline for _, newline in styles}
    if len(indents) > 1 or len(newlines) > 1:
        return cst.parse_module(text), source
    ends = text.endswith(("\n", "\r"))
    indent, newline = next(iter(indents), "    "), next(iter(newlines), "\n")
    return cst.Module(rows, default_indent=indent, default_newline=newline, has_trailing_newline=ends), source


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


def _rows(module: cst.Module) -> list[Any]:
    """The lines of a piece, with what libcst puts above and below them as part of them."""
    first, *others = module.body
    if module.header:
        first = first.with_changes(leading_lines=[*module.header, *first.leading_lines])
    return [first, *others]


def _is_indented(module: cst.Module) -> bool:
    return any(isinstance(getattr(row, "body", None), cst.IndentedBlock) or isinstance(row, cst.Match) for row in module.body)
