"""String literals of templates inside f-strings, where Python before 3.12 forbids the outer quote."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import libcst as cst

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')


def requoted(source: str, stack: Sequence[Any]) -> str:
    """The template text with string literals that can stand inside the f-strings around it."""
    if '"' not in source and "'" not in source:
        return source
    outer: set[str] = {node.end for node in stack if isinstance(node, cst.FormattedString)}
    return _LITERAL.sub(lambda match: _free_of(match.group(0), outer), source) if outer else source


def _free_of(literal: str, outer: set[str]) -> str:
    """The literal without the outer quotes and without backslashes, which such a place forbids too."""
    body = literal[1:-1]
    quote = '"' if '"' not in outer else "'"
    if quote in outer:
        return literal  # nested f-strings with both kinds: the guard on the output will refuse the file
    plain = body.replace("\\'", "'").replace('\\"', '"').replace("\\", "/")
    other = '"' if quote == "'" else "'"
    plain = plain.replace(other, "`") if other in outer else plain
    return quote + plain.replace(quote, "`") + quote
