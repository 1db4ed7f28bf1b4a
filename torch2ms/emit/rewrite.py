"""The one walk over the tree: carries the edits of expressions out while statements are put together."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from typing import Any

import libcst as cst

from torch2ms.edits import CallEdit, Replace
from torch2ms.emit import templates
from torch2ms.emit.annotations import reannotated
from torch2ms.emit.blocks import Blocks
from torch2ms.emit.calls import edited_call, renamed_arguments
from torch2ms.emit.definitions import finished_definition, renamed_parameters
from torch2ms.emit.frames import Frame
from torch2ms.emit.index import Index
from torch2ms.emit.naming import Naming
from torch2ms.emit.nodes import CHILDREN, breaks, comments, fields, fitted, inside
from torch2ms.emit.quotes import requoted
from torch2ms.emit.sites import JoinError, Pairs


def _concrete(base: type) -> frozenset[type]:
    """A class and everything below it: a look-up is far cheaper than isinstance with libcst's abstract classes."""
    return frozenset({base}.union(*map(_concrete, base.__subclasses__())))


_EXPRESSIONS = _concrete(cst.BaseExpression)


class Rewriter:
    """Visits a statement when something asks for it, so that parts can come from anywhere in the file.

    It walks by itself: libcst's visitors build every node anew that they come by, here only what changes is built.
    """

    def __init__(self, index: Index, pairs: Pairs, naming: Naming, comment_lines: Container[int]) -> None:
        self.index = index
        self.pairs = pairs
        self.naming = naming
        self._comment_lines = comment_lines
        self.blocks = Blocks(self)
        self.updated: dict[ast.AST, Any] = {}
        # what a replaced node looked like before its own edit, for templates that wrap it
        self._unwrapped: dict[ast.AST, Any] = {}
        self._done: dict[ast.stmt, Any] = {}
        # comments that lost their place inside a statement
        self.displaced: dict[ast.stmt, list[cst.Comment]] = {}
        self._frames: list[Frame] = []
        self._stack: list[Any] = []
        self._root: Any = None

    def statement(self, stmt: ast.stmt) -> Any:
        """The libcst node of a statement with the edits inside it, but without what replaces it."""
        if stmt not in self._done:
            node = self.pairs.cst_of[stmt][1]
            self._done[stmt] = self._visited(stmt, node) if stmt in self.index.rebuilt else node
        return self._done[stmt]

    def part(self, node: ast.expr) -> Any:
        """The libcst node of an expression of the file, its own edits carried out."""
        if node not in self.updated:
            home = self.index.home(node)
            if any(frame.stmt is home for frame in self._frames):
                raise JoinError("a part of a statement is needed before it is reached")
            self.statement(home)
        return self.updated[node]

    @property
    def visiting(self) -> Sequence[Any]:
        """The nodes around the one that is being left, from its statement inwards."""
        return self._stack

    def lines(self, template: str, parts: Sequence[ast.expr], node: ast.AST) -> list[Any]:
        """A statement template as lines of a block."""
        return templates.statements(self.naming.spelled(template, node), [self.part(p) for p in parts])

    def _visited(self, stmt: ast.stmt, node: Any) -> Any:
        wanted = self.index.wanted.get(stmt, ())
        frame = Frame(stmt, frozenset(ast.Yield if type(n) is ast.YieldFrom else type(n) for n in wanted))
        lines = range(stmt.lineno, _header_end(stmt))
        frame.several_lines = len(lines) > 1
        stack, self._stack, root, self._root = self._stack, [], self._root, node
        self._frames.append(frame)
        updated = self._rebuilt(node)
        self._frames.pop()
        self._stack, self._root = stack, root
        frame.check()
        updated = finished_definition(stmt, updated, self.index)
        if updated is not node and any(line in self._comment_lines for line in lines):
            self._displace(stmt, node, updated)
        return updated

    def _displace(self, stmt: ast.stmt, node: Any, updated: Any) -> None:
        """Notes the comments inside a statement, but not inside its blocks, that lost their place."""
        own = comments(node, self.pairs.stmts_of)
        if own:
            left = set(comments(updated))
            self.displaced[stmt] = [comment for comment in own if comment not in left]

    def _rebuilt(self, node: Any) -> Any:
        """The node with what is planned for it and for everything inside it."""
        kind = type(node)
        if kind not in CHILDREN:
            return node
        if node in self.pairs.stmts_of:
            return self.blocks.block(node)
        if node is not self._root and node in self.pairs.elif_of:
            return self.blocks.elif_branch(self.pairs.elif_of[node])
        frame = self._frames[-1]
        if not frame.kinds and kind in _EXPRESSIONS:
            return node
        joined = frame.join(node)
        changes: dict[str, Any] = {}
        self._stack.append(node)
        for field in CHILDREN[kind]:
            old = getattr(node, field)
            if old is None:
                continue
            new = self._sequence(old) if isinstance(old, (list, tuple)) else self._rebuilt(old)
            if new is not old:
                changes[field] = new
        self._stack.pop()
        updated = node.with_changes(**changes) if changes else node
        if joined is None or joined not in self.index.wanted.get(frame.stmt, ()):
            return updated
        return self._finished(joined, node, updated)

    def _sequence(self, nodes: Sequence[Any]) -> Sequence[Any]:
        new = [self._rebuilt(node) for node in nodes]
        return new if any(a is not b for a, b in zip(new, nodes)) else nodes

    def _finished(self, node: ast.AST, original: Any, updated: Any) -> Any:
        """The node with its own edit carried out."""
        self._unwrapped[node] = updated
        edit = self.index.expressions.get(node)
        if edit is not None:
            updated = self._fitted(self._edited(edit, original, updated), original)
        elif isinstance(node, ast.Constant):
            updated = reannotated(node, updated, self.index, self.naming)
        if self.index.renames:
            updated = self._renamed(node, updated)
        self.updated[node] = updated
        return updated

    def _edited(self, edit: Replace | CallEdit, original: Any, updated: Any) -> Any:
        if isinstance(edit, CallEdit):
            return edited_call(edit, original, updated, self)
        if isinstance(original, cst.Attribute) and _is_renaming(edit):
            return updated.with_changes(attr=cst.Name(edit.template[3:]))
        parts = [self._unwrapped[p] if p is edit.node else self.part(p) for p in edit.parts]
        source = self.naming.spelled(edit.template, edit.node)
        return templates.expression(requoted(source, self.visiting), parts)

    def _renamed(self, node: ast.AST, updated: Any) -> Any:
        if isinstance(node, ast.Call):
            return renamed_arguments(node, updated, self.index.renames)
        if isinstance(node, ast.Lambda) and isinstance(updated, cst.Lambda):
            return updated.with_changes(params=renamed_parameters(node.args, updated.params, self.index))
        return updated

    def _fitted(self, node: Any, original: Any) -> Any:
        """The new expression with the parentheses of the old one, or those that its place asks for."""
        if node is original or node.lpar and original.lpar:
            return node
        # the parentheses of a tuple are its own
        if original.lpar and not (isinstance(original, cst.Tuple) and len(original.lpar) == 1):
            return node.with_changes(lpar=original.lpar, rpar=original.rpar)
        parent = self._stack[-1]
        free = not self._frames[-1].several_lines or not breaks(node) or self._bracketed(original)
        return fitted(node, parent, _field(parent, original), free)

    def _bracketed(self, node: Any) -> bool:
        """Whether the node now being left stands between brackets of its statement."""
        for parent in reversed(self._stack):
            if inside(parent, _field(parent, node)):
                return True
            node = parent
        return False


def _is_renaming(edit: Replace) -> bool:
    """Whether only the name behind the dot changes, which keeps the line breaks of a chain of calls."""
    same = isinstance(edit.node, ast.Attribute) and edit.parts == (edit.node.value,)
    return same and edit.template.startswith("$0.") and edit.template[3:].isidentifier()


def _header_end(stmt: ast.stmt) -> int:
    """The line after the last one of a statement without the blocks inside it."""
    body = getattr(stmt, "body", None) or getattr(stmt, "cases", None)
    if isinstance(stmt, ast.Match) or not body:
        return (stmt.end_lineno or stmt.lineno) + 1
    return max(stmt.lineno + 1, body[0].lineno)


def _field(parent: Any, child: Any) -> str:
    """The field of the parent that holds the child."""
    kind: type = type(parent)
    for name in fields(kind):
        value = getattr(parent, name)
        if value is child or isinstance(value, (list, tuple)) and any(item is child for item in value):
            return name
    return ""
