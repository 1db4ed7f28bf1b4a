"""Python source as HTML lines with classes for keywords, strings, comments and the like."""

from __future__ import annotations

from html import escape

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword, "k"),
    (String, "s"),
    (Number, "m"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Decorator, "d"),
    (Name.Builtin, "b"),
    (Operator.Word, "k"),
)


def highlighted(text: str) -> list[str]:
    """The lines of a source text as HTML, without line ends."""
    lines: list[list[str]] = [[]]
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(
        text.replace("\r\n", "\n").replace("\r", "\n")
    ):
        name = next((name for parent, name in _CLASSES if kind in parent), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(f'<i class="{name}">{escape(part)}</i>' if name else escape(part))
    return ["".join(parts) for parts in lines]
