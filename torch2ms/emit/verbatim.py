"""Lines in which nothing changes, taken from the source as text: nothing has to be spelled out again."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

_EMPTY = re.compile(r"([ \t\f]*)(#[^\r\n]*)?(\r\n|\n|\r|\Z)")


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
