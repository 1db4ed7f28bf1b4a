"""The text of a node is what `ast` says, with every kind of line end and characters of any width."""

from __future__ import annotations

import ast

import pytest

from torch2ms.source import SourceFile

LINES = ["x = f(  1,", "  '\u00e9\u4e2d\U0001f600', y ) + z\x0c", "def g():", "    return (1,", "\x0c        2) # \u2028 e", "w = 1"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_segment(end, last):
    text = end.join(LINES) + last
    nodes = [node for node in ast.walk(ast.parse(text)) if hasattr(node, "lineno")]
    assert len(nodes) > 12
    for node in nodes:
        assert SourceFile("a.py", text).segment(node) == ast.get_source_segment(text, node)
    assert SourceFile("a.py", text).segment(ast.Load()) == ""
