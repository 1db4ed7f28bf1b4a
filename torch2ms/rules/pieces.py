"""Arguments of new calls as templates over parts of the file, and the edits made of them."""
from __future__ import annotations

import ast
import re
from typing import Literal, NamedTuple

from torch2ms.edits import Arg, CallEdit, Edit, Replace


class Piece(NamedTuple):
    """One argument of a new call: a template over its own parts."""

    text: str
    parts: tuple[ast.expr, ...] = ()
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


def call_edit(func: str, pieces: tuple[Piece, ...] | None, node: ast.Call, receiver: ast.expr | None) -> Edit:
    """The edit that gives a call another callee (a template, `$0` the receiver) and new arguments."""
    if pieces is None:
        return CallEdit(node, func)
    if all(p.text == "$0" or not p.parts for p in pieces):
        args = tuple(Arg(p.parts[0] if p.parts else p.text, p.keyword, p.star) for p in pieces)
        return CallEdit(node, func, args)
    parts: list[ast.expr] = [receiver] if "$0" in func and receiver is not None else []
    texts = []
    for piece in pieces:
        texts.append((f"{piece.keyword}=" if piece.keyword else piece.star) + renumber(piece.text, len(parts)))
        parts += piece.parts
    return Replace(node, f"{func}({', '.join(texts)})", tuple(parts))


def shown(expr: ast.expr) -> str:
    """The expression as text, its strings in double quotes."""
    text = ast.unparse(expr)
    return text.replace("'", '"') if '"' not in text else text


def renumber(text: str, start: int) -> str:
    """The template with its placeholders counted from `start`."""
    return _PLACEHOLDER.sub(lambda m: f"${int(m[1]) + start}", text)


_PLACEHOLDER = re.compile(r"\$(\d+)")
