"""One source file as text, and places in it."""
from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


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

    def segment(self, node: ast.AST) -> str:
        """The text of an ast node; empty for a node without a position. As `ast.get_source_segment`, without its cost."""
        line, end_line = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if line is None or end_line is None:
            return ""
        lines = [text.encode("utf-8", "surrogatepass") for text in _lines(self.text)[line - 1 : end_line]]
        lines[-1] = lines[-1][: getattr(node, "end_col_offset", None)]
        lines[0] = lines[0][getattr(node, "col_offset", 0) :]
        return b"".join(lines).decode("utf-8", "surrogatepass")


@functools.lru_cache(maxsize=1)
def _lines(text: str) -> list[str]:
    return _LINE.findall(text)
