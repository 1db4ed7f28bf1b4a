"""The nodes below a node, without contexts and operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_NOT_NODES = {
    "ctx",
    "op",
    "ops",
    "id",
    "attr",
    "arg",
    "name",
    "names",
    "module",
    "level",
    "type_comment",
    "kind",
    "asname",
    "conversion",
    "simple",
    "is_async",
    "type_ignores",
    "rest",
    "kwd_attrs",
}
# their values are no nodes
_LEAVES = frozenset({ast.Constant, ast.MatchSingleton})
NODE_FIELDS: dict[type, tuple[str, ...]] = {
    kind: () if kind in _LEAVES else tuple(field for field in kind._fields if field not in _NOT_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}


def children(node: ast.AST) -> list[ast.AST]:
    """The child nodes, without contexts and operators."""
    found: list[ast.AST] = []
    for field in NODE_FIELDS[type(node)]:
        value = getattr(node, field, None)
        if type(value) is list:
            found += value if None not in value else [item for item in value if item is not None]
        elif value is not None:
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and everything below it, outer before inner, in source order; several times as fast as `ast.walk`."""
    stack = [node]
    fields = NODE_FIELDS
    while stack:
        node = stack.pop()
        yield node
        todo: list[ast.AST] = []
        for field in fields[type(node)]:
            value = getattr(node, field, None)
            if type(value) is list:
                todo += value if None not in value else [item for item in value if item is not None]
            elif value is not None:
                todo.append(value)
        if todo:
            stack += todo[::-1]
