"""Edits inside string annotations: `"torch.Tensor"` -> `"mindspore.Tensor"`."""
from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import libcst as cst

from torch2ms.edits import Replace
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.emit.index import Index
    from torch2ms.emit.naming import Naming


def reannotated(node: ast.Constant, updated: Any, index: Index, naming: Naming) -> Any:
    """The string with its inner expressions replaced; only templates without parts can stand in a string."""
    edited, tree = index.in_strings.get(node), index.string_tree(node)
    if not edited or tree is None or not isinstance(updated, cst.SimpleString) or not isinstance(node.value, str):
        return updated
    text = node.value.strip()
    # the nodes of the plan lost their columns inside the string; a fresh parse has them, in the same order
    fresh = dict(zip(ast.walk(tree), ast.walk(ast.parse(text, mode="eval").body)))
    spans = {old: Span.of(fresh[old]) for old in edited}
    for old in sorted(edited, key=lambda n: -spans[n].col):
        edit = index.expressions[old]
        if isinstance(edit, Replace) and edit.template[:1] not in "\"'":
            text = text[: spans[old].col] + naming.spelled(edit.template, old) + text[spans[old].end_col :]
    quote = updated.quote
    return updated.with_changes(value=f"{updated.prefix}{quote}{text}{quote}")
