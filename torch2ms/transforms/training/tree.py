"""Places and paths: where a statement stands in its function, how `a.b.c` is spelled."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch2ms.analysis.nodes import children

Function = ast.FunctionDef | ast.AsyncFunctionDef
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_CLOSED_KINDS = frozenset(_CLOSED)


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and what runs when it runs: the bodies of nested functions and classes are left out."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if type(current) not in _CLOSED_KINDS:
            stack += children(current)[::-1]
            continue
        if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner: list[ast.AST] = [
                *current.decorator_list,
                *current.args.defaults,
                *(d for d in current.args.kw_defaults if d),
            ]
        elif isinstance(current, ast.ClassDef):
            inner = [*current.decorator_list, *current.bases]
        else:
            assert isinstance(current, ast.Lambda)
            inner = [*current.args.defaults]
        stack += inner[::-1]


def touches(one: str, other: str) -> bool:
    """Whether two paths may mean storage of the same object: one is the other, or leads to it."""
    return one == other or one.startswith(other + ".") or other.startswith(one + ".")


def blocks(stmt: ast.AST) -> Iterator[list[ast.stmt]]:
    """The statement lists directly inside a statement (not those of a nested function or class)."""
    if isinstance(stmt, _CLOSED):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(stmt, name, None)
        if isinstance(block, list) and block:
            yield block
    for part in (*getattr(stmt, "handlers", ()), *getattr(stmt, "cases", ())):
        yield part.body


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its list, its index there, and the statement around the list (None at the top)."""

    block: list[ast.stmt]
    index: int
    owner: ast.stmt | None


class Layout:
    """The statements of one function or module body, without those of nested functions and classes."""

    def __init__(self, scope: ast.Module | Function) -> None:
        self.scope = scope
        self.body: list[ast.stmt] = scope.body
        self.places: dict[ast.stmt, Place] = {}
        self._fill(self.body, None)

    def _fill(self, block: list[ast.stmt], owner: ast.stmt | None) -> None:
        for index, stmt in enumerate(block):
            self.places[stmt] = Place(block, index, owner)
            for inner in blocks(stmt):
                self._fill(inner, stmt)

    def around(self, stmt: ast.stmt) -> Iterator[ast.stmt]:
        """The statements that hold `stmt`, innermost first."""
        owner = self.places[stmt].owner
        while owner is not None:
            yield owner
            owner = self.places[owner].owner

    def loop(self, stmt: ast.stmt) -> ast.stmt | None:
        """The innermost loop around `stmt`; None for a statement of a loop's else branch alone."""
        inner = stmt
        for owner in self.around(stmt):
            if isinstance(owner, LOOPS) and self.places[inner].block is owner.body:
                return owner
            inner = owner
        return None

    def within(self, stmt: ast.stmt, block: Sequence[ast.stmt]) -> int | None:
        """The index in `block` of the statement that is or holds `stmt`."""
        for candidate in (stmt, *self.around(stmt)):
            place = self.places[candidate]
            if place.block is block:
                return place.index
        return None
