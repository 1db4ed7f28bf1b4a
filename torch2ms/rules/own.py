"""Rows of a project's own: checked one by one, then laid over the tables."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torch2ms.analysis.canonical import is_torch
from torch2ms.edits import ROOTS
from torch2ms.rules import INDEX, Api, method_sites
from torch2ms.rules.api import compile_api
from torch2ms.rules.missing import MISSING
from torch2ms.rules.special import Rewrite

# what the tables say themselves of the names that own rows lie over
_beneath: dict[str, Api | Rewrite | None] = {}


def check(row: Api) -> None:
    """Raises ValueError with the reason where a row cannot be used."""
    if not all(part.isidentifier() for part in row.name.split(".")) or not is_torch(row.name):
        raise ValueError(f"{row.name!r} is no name of PyTorch")
    if "(" in row.torch and not row.torch.endswith(")"):
        raise ValueError(f"the parenthesis of {row.torch!r} is not closed")
    if row.mindspore is None:
        if not row.note:
            raise ValueError("a row without a counterpart needs an advice as its third argument")
        return
    try:
        signature = compile_api(row).signature
        right = ast.parse(row.mindspore, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{error.text or row.mindspore!r} is not valid: {error.msg}") from None
    known = {"self", "_", *ROOTS, *(signature.by_name if signature else ())}
    known |= {node.target.id for node in ast.walk(right) if isinstance(node, ast.NamedExpr)}
    for node in ast.walk(right):
        if isinstance(node, ast.Name) and node.id not in known:
            roots = ", ".join(ROOTS)
            raise ValueError(f"{node.id!r} on the right is neither a parameter on the left nor one of {roots}")
        if isinstance(node, ast.Attribute) and ast.unparse(node) in MISSING:
            raise ValueError(f"the runtime has no {ast.unparse(node)}")


def lay_over(rows: Iterable[Api]) -> None:
    """Puts the rows in the place of what the tables say of their names, and takes away those put there before."""
    for name, rule in _beneath.items():
        if rule is None:
            del INDEX[name]
        else:
            INDEX[name] = rule
    _beneath.clear()
    for row in rows:
        _beneath[row.name] = INDEX.get(row.name)
        INDEX[row.name] = row
    method_sites.cache_clear()
