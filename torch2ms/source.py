"""One source file as text, and places in it."""
from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a source file: lines from 1, columns in characters from 0."""

    line: int
    col: int
    end_line: int
    end_col: int

    @classmethod
    def of(cls, node: ast.AST) -> Span:
        """The span of an ast node; the start of the file for a node without a position."""
        line = getattr(node, "lineno", 1)
        col = getattr(node, "col_offset", 0)
        return cls(line, col, getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or col)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The decoded text of a file; `newline` is what the file uses, `text` keeps it as it is."""

    path: str
    text: str
    encoding: str = "utf-8"
    newline: str = "\n"
