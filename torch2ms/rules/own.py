"""Rows of a project's own: checked one by one, then laid over the tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable

from torch2ms.analysis.canonical import convert_too, is_torch
from torch2ms.edits import ROOTS
from torch2ms.rules import INDEX, Api, method_sites
from torch2ms.rules.api import compile_api
from torch2ms.rules.missing import MISSING
from torch2ms.rules.signature import parse_signature
from torch2ms.rules.special import Rewrite

# modules besides MindSpore's that the right sides of own rows name, by the first word that stands for them
_roots: dict[str, str] = {}
# what the tables say themselves of the names that own rows lie over
_beneath: dict[str, Api | Rewrite | None] = {}


def check(row: Api, imported: Collection[str] = ()) -> None:
    """Raises ValueError with the reason where a row cannot be used; `imported`: packages that its file imports."""
    root = row.name.partition(".")[0]
    if not all(part.isidentifier() for part in row.name.split(".")) or not (is_torch(row.name) or root in imported):
        raise ValueError(f"{row.name!r} is no name of PyTorch, and the file does not import {root!r}")
    if not is_torch(row.name) and "." not in row.name:
        raise ValueError(f"{row.name!r} is a package; a row needs a name in it")
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
    known.update(imported)
    for node in ast.walk(right):
        if isinstance(node, ast.Name) and node.id not in known:
            roots = ", ".join(name for name in ROOTS if name not in _roots)
            raise ValueError(
                f"{node.id!r} on the right is neither a parameter on the left nor a package that the file imports nor one of {roots}"
            )
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
    for key in _roots:
        del ROOTS[key]
    _roots.clear()
    rows = tuple(rows)
    convert_too(row.name.partition(".")[0] for row in rows if not is_torch(row.name))
    rows = tuple(_rooted(row) for row in rows)
    ROOTS.update(_roots)
    compile_api.cache_clear()  # `check` read the right sides without these packages
    for row in rows:
        _beneath[row.name] = INDEX.get(row.name)
        INDEX[row.name] = row
    method_sites.cache_clear()


def _rooted(row: Api) -> Api:
    """The row with a root for each module of the user's on its right, as `import package` alone brings no submodule."""
    packages = _packages(row)
    if row.mindspore is None or not packages:
        return row
    names = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(packages)))})(?:\.\w+)+")
    return row._replace(mindspore=names.sub(lambda match: _reference(match[0]), row.mindspore))


def _reference(name: str) -> str:
    module, _, leaf = name.rpartition(".")
    key = module.replace(".", "__")
    _roots[key] = module
    return f"{key}.{leaf}"


def _packages(row: Api) -> set[str]:
    """The packages on the right side of a checked row that are none of the tables'."""
    if row.mindspore is None:
        return set()
    signature = parse_signature(row.torch)
    right = ast.parse(row.mindspore, mode="eval")
    known = {"self", "_", *ROOTS, *(signature.by_name if signature else ())}
    known |= {node.target.id for node in ast.walk(right) if isinstance(node, ast.NamedExpr)}
    return {node.id for node in ast.walk(right) if isinstance(node, ast.Name)} - known
