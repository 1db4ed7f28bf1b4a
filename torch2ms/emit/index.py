"""The edits of one file, found by the node they are about."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torch2ms.analysis.names import Names
from torch2ms.edits import CallEdit, Def, DropDecorator, Edit, Insert, Item, Keep, New, Rename, Replace, Splice


class EditConflict(Exception):
    """Two edits of one node that cannot both be carried out."""

    def __init__(self, node: ast.AST, message: str) -> None:
        super().__init__(message)
        self.node = node


def item_parts(items: Iterable[Item]) -> Iterator[ast.expr]:
    """The expressions that the templates of items use."""
    for item in items:
        if isinstance(item, (New, Def)):
            yield from item.parts
        if isinstance(item, Def):
            yield from item_parts(item.body)


def kept(items: Iterable[Item]) -> Iterator[ast.stmt]:
    """The statements that items keep, also inside new functions."""
    for item in items:
        if isinstance(item, Keep):
            yield item.stmt
        elif isinstance(item, Def):
            yield from kept(item.body)


def parts_of(edit: Edit) -> Iterator[ast.expr]:
    """The expressions of the file that an edit uses."""
    match edit:
        case Replace():
            yield from edit.parts
        case CallEdit(node=call, args=args):
            # the call's own arguments come along when the call is visited
            own = {*call.args, *(keyword.value for keyword in call.keywords)}
            for arg in args or ():
                if isinstance(arg.value, ast.expr) and arg.value not in own:
                    yield arg.value
        case Splice() | Insert():
            yield from item_parts(edit.items)


class Index:
    """Edits by node; `dirty` holds the statements in which something changes, `rebuilt` those that have to be put together anew."""

    def __init__(self, edits: Iterable[Edit], names: Names) -> None:
        self._parents = names.parents
        self._annotations = names.table.annotations
        self.expressions: dict[ast.AST, Replace | CallEdit] = {}
        self.renames: dict[ast.AST, str] = {}
        self.dropped: set[ast.AST] = set()
        self.splices: dict[ast.stmt, Splice] = {}
        # splices that put new items around a statement: the statement itself may have a splice of its own
        self.wraps: dict[ast.stmt, Splice] = {}
        self.before: dict[ast.stmt, list[Item]] = {}
        self.after: dict[ast.stmt, list[Item]] = {}
        self.moved: set[ast.stmt] = set()
        self.dirty: set[ast.AST] = set()
        self.rebuilt: set[ast.AST] = set()
        # statement -> the expressions in it that a visit must find, and itself where it gets another name
        self.wanted: dict[ast.stmt, set[ast.AST]] = {}
        # the expressions that other statements use
        self.parts: set[ast.expr] = set()
        # calls with renamed keywords
        self.renaming: set[ast.expr] = set()
        # string annotations -> the edited nodes inside them
        self.in_strings: dict[ast.Constant, list[ast.AST]] = {}
        edits = tuple(edits)
        for edit in edits:
            if isinstance(edit, (Splice, Insert)):
                here = edit.stmt if isinstance(edit, Splice) else None
                self.moved.update(stmt for stmt in kept(edit.items) if stmt is not here)
        for edit in edits:
            self.add(edit)
        for stmt in self.moved:
            self.rebuild(stmt)

    def add(self, edit: Edit) -> None:
        """Takes one more edit in."""
        match edit:
            case Replace() | CallEdit():
                self._once(self.expressions, edit.node, edit)
                self._want(edit.node)
            case Rename():
                self._once(self.renames, edit.node, edit.name)
                self._renamed(edit.node)
            case DropDecorator():
                self.dropped.add(edit.node)
                self.rebuild(edit.node)
            case Splice():
                self._splice(edit)
                self.rebuild(edit.stmt)
            case Insert():
                side = self.before if edit.where == "before" else self.after
                side.setdefault(edit.stmt, []).extend(edit.items)
                self.rebuild(edit.stmt)
        for part in parts_of(edit):
            self._want(part)
            if isinstance(edit, (Splice, Insert)) or self.home(part) is not self.home(edit.node):
                self.parts.add(part)

    def rebuild(self, node: ast.AST) -> None:
        """Marks the statement around a node, and all around it, as one to be put together anew."""
        self._mark(node, self.dirty)
        self._mark(node, self.rebuilt)

    def home(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds a node."""
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node

    def replaced(self, stmt: ast.stmt) -> bool:
        """Whether anything but the statement itself stands in its place."""
        return stmt in self.moved or any(stmt in table for table in (self.splices, self.wraps, self.before, self.after))

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around a node of the file."""
        return self._parents.get(node)

    def string_tree(self, node: ast.Constant) -> ast.expr | None:
        """The parsed text of a string annotation; None for any other constant."""
        return self._annotations.get(node)

    def _splice(self, edit: Splice) -> None:
        # where a statement is kept elsewhere, its removal says nothing and another replacement of it moves along
        if edit.stmt in self.moved and not edit.items:
            return
        wraps = any(stmt is edit.stmt for stmt in kept(edit.items))
        self._once(self.wraps if wraps else self.splices, edit.stmt, edit)

    def _renamed(self, node: ast.AST) -> None:
        """A renamed keyword is found at its call, a renamed parameter at its function."""
        owner = node
        while isinstance(owner, (ast.keyword, ast.arg, ast.arguments)):
            owner = self._parents[owner]
        if isinstance(owner, ast.expr) or owner is node:
            self._want(owner)
            self.renaming.update([owner] if isinstance(owner, ast.expr) else [])
        else:
            self.rebuild(owner)

    @staticmethod
    def _once(table: dict, node: ast.AST, edit: object) -> None:
        if table.get(node, edit) != edit:
            raise EditConflict(node, f"two edits of one {type(node).__name__}")
        table[node] = edit

    def _want(self, node: ast.AST) -> None:
        wanted = self.wanted.setdefault(self.home(node), set())
        wanted.add(node)
        self._mark(node, self.dirty)
        above = self._parents.get(node)
        while isinstance(above, ast.expr):
            if isinstance(above, ast.Constant):
                self.in_strings.setdefault(above, []).append(node)
                wanted.add(above)
            above = self._parents.get(above)

    def _mark(self, node: ast.AST, stmts: set[ast.AST]) -> None:
        above: ast.AST | None = node
        while above is not None:
            if isinstance(above, ast.stmt):
                if above in stmts:
                    return
                stmts.add(above)
            above = self._parents.get(above)
