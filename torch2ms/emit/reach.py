"""What is left of a file once its edits are carried out: names that survive and what the templates name."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from torch2ms.analysis.nodes import children
from torch2ms.edits import Arg, CallEdit, Def, Item, Keep, New, Replace
from torch2ms.emit.index import Index
from torch2ms.emit.placeholders import placeholders, references


@dataclass(slots=True)
class Reach:
    """`names`: the Name nodes that stay; `uses`: what templates name (`mint.cat`), each with the node whose place it takes."""

    names: list[ast.Name] = field(default_factory=list)
    uses: list[tuple[str, ast.AST]] = field(default_factory=list)


def reach(tree: ast.Module, index: Index) -> Reach:
    """Walks what survives, and only that."""
    found = Reach()
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if type(node) is ast.Name:
            if node not in index.expressions:
                found.names.append(node)
                continue
        elif isinstance(node, ast.stmt):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            if node in index.rebuilt and index.replaced(node):
                if node not in index.moved:
                    stack.extend(_placed(node, index, found))
                continue
        if node in index.expressions or type(node) is ast.Constant or index.dropped:
            stack.extend(_inside(node, index, found))
        else:
            stack += children(node)
    return found


def _placed(stmt: ast.stmt, index: Index, found: Reach) -> Iterator[ast.AST]:
    """What stands where a statement stood or where it is kept."""
    wrap, splice = index.wraps.get(stmt), index.splices.get(stmt)
    yield from _items(index.before.get(stmt, ()), stmt, index, found)
    if wrap is not None:
        yield from _items(wrap.items, stmt, index, found)
    if splice is not None:
        yield from _items(splice.items, stmt, index, found)
    else:
        yield from _inside(stmt, index, found)
    yield from _items(index.after.get(stmt, ()), stmt, index, found)


def _items(items: Iterable[Item], anchor: ast.stmt, index: Index, found: Reach) -> Iterator[ast.AST]:
    for item in items:
        match item:
            case Keep(stmt):
                if stmt is not anchor:
                    yield from _placed(stmt, index, found)
            case New():
                found.uses += [(name, anchor) for name in references(item.template)]
                yield from item.parts
            case Def():
                for text in (item.header, *item.decorators):
                    found.uses += [(name, anchor) for name in references(text)]
                yield from item.parts
                yield from _items(item.body, anchor, index, found)


def _inside(node: ast.AST, index: Index, found: Reach) -> Iterator[ast.AST]:
    """The children that survive the edit of a node."""
    edit = index.expressions.get(node)
    if edit is not None:
        yield from _edited(edit, node, index, found)
        return
    for child in children(node):
        if child not in index.dropped:
            yield child
    text = index.string_tree(node) if isinstance(node, ast.Constant) else None
    if text is not None:
        yield text


def _edited(edit: Replace | CallEdit, node: ast.AST, index: Index, found: Reach) -> Iterator[ast.AST]:
    if isinstance(edit, Replace):
        found.uses += [(name, node) for name in references(edit.template)]
        for part in edit.parts:
            if part is node:
                yield from children(node)
            else:
                yield part
        return
    if edit.func is None:
        yield edit.node.func
    else:
        found.uses += [(name, node) for name in references(edit.func)]
        if 0 in placeholders(edit.func) and isinstance(edit.node.func, ast.Attribute):
            yield edit.node.func.value
    yield from _arguments(edit, found)


def _arguments(edit: CallEdit, found: Reach) -> Iterator[ast.AST]:
    if edit.args is None:
        yield from edit.node.args
        yield from (keyword.value for keyword in edit.node.keywords)
    for arg in edit.args or ():
        if isinstance(arg, Arg) and isinstance(arg.value, str):
            found.uses += [(name, edit.node) for name in references(arg.value)]
        else:
            yield arg.value
