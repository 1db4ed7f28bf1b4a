"""Edits inside string annotations: `"torch.Tensor"` -> `"mindspore.Tensor"`."""
from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst

if TYPE_CHECKING:
    from torch2ms.emit.index import Index
    from torch2ms.emit.naming import Naming


def reannotated(node: ast.Constant, updated: Any, index: Index, naming: Naming) -> Any:
    """The string with its inner expressions replaced; only templates without parts can stand in a string."""
    edited, tree = index.in_strings.get(node), index.string_tree(node)
    if not edited or tree is None or not isinstance(updated, cst.SimpleString):
        return updated
    text = node.value.strip()
    # the nodes of the plan lost their columns inside the string; a fresh parse has them, in the same order
    fresh = dict(zip(ast.walk(tree), ast.walk(ast.parse(text, mode="eval").body)))
    for old in sorted(edited, key=lambda n: -fresh[n].col_offset):  # type: ignore[attr-defined]
        place = fresh[old]
        new = naming.spelled(index.expressions[old].template, old)  # type: ignore[union-attr]
        text = text[: place.col_offset] + new + text[place.end_col_offset :]  # type: ignore[attr-defined, misc]
    quote = updated.quote
    return updated.with_changes(value=f"{updated.prefix}{quote}{text}{quote}")
