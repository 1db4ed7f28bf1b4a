"""Storages, the values that reach them, and the state of a function at one point."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable
from dataclasses import dataclass, field


class Sort(enum.Enum):
    """Where a storage comes from."""

    FRESH = "made here, by the latest run of an expression"
    OLD = "made here, by an earlier run of an expression"
    PARAMETER = "given by the caller"
    ATTRIBUTE = "found in an attribute"
    GLOBAL = "found in a variable of an outer scope"
    GRADIENT = "the gradient of another storage"
    OUTSIDE = "anything else"


_INSIDE = (Sort.FRESH, Sort.OLD)


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """One storage, or all storages that can be reached from one place outside the function; made by `State.root`."""

    sort: Sort
    key: ast.AST | str

    @property
    def is_outside(self) -> bool:
        """Whether it existed before the function ran."""
        return self.sort not in _INSIDE


@dataclass(frozen=True, slots=True)
class Value:
    """The storages that a value can share; `exact`: it surely shares the only one there is."""

    roots: frozenset[Root]
    exact: bool = False

    def __or__(self, other: Value) -> Value:
        if self == other:
            return self
        return Value(self.roots | other.roots, False)

    @property
    def loosely(self) -> Value:
        """The same storages, perhaps."""
        return Value(self.roots) if self.exact else self


_NONE: frozenset[Root] = frozenset()
NOTHING = Value(_NONE, False)
OUTSIDE_ROOT = Root(Sort.OUTSIDE, "")
OUTSIDE = Value(frozenset({OUTSIDE_ROOT}))


def union(values: Iterable[Value]) -> Value:
    """A value that is one of these."""
    found = list(values)
    if len(found) == 1:
        return found[0]
    return Value(frozenset().union(*(v.roots for v in found)))


@dataclass(slots=True)
class State:
    """What names (and paths like `self.x`) hold, what containers hold, and what can be reached from outside.

    `table` holds the one Root of each storage; all states of a function share it.
    """

    table: dict[tuple[Sort, ast.AST | str], Root] = field(default_factory=dict)
    env: dict[str, Value] = field(default_factory=dict)
    heap: dict[Root, frozenset[Root]] = field(default_factory=dict)
    escaped: frozenset[Root] = frozenset()

    def copy(self) -> State:
        """An independent copy."""
        return State(self.table, dict(self.env), dict(self.heap), self.escaped)

    def root(self, sort: Sort, key: ast.AST | str) -> Root:
        """The root of a storage."""
        found = self.table.get((sort, key))
        if found is None:
            found = self.table[sort, key] = Root(sort, key)
        return found

    def at(self, sort: Sort, key: ast.AST | str) -> Value:
        """What surely shares one storage."""
        return Value(frozenset({self.root(sort, key)}), True)

    def join(self, other: State) -> State:
        """The state where paths meet."""
        env = dict(self.env)
        for name, value in other.env.items():
            mine = env.get(name)
            if mine is not value:
                env[name] = value if mine is None else mine | value
        for path in [p for p in env if "." in p and (p not in self.env or p not in other.env)]:
            env[path] = env[path] | self.at(Sort.ATTRIBUTE, path)
        heap = dict(self.heap)
        for root, held in other.heap.items():
            mine_held = heap.get(root)
            if mine_held is not held:
                heap[root] = held if mine_held is None else mine_held | held
        return State(self.table, env, heap, self.escaped | other.escaped)

    def allocate(self, node: ast.AST) -> Value:
        """A new storage; what the same expression made before is an old one from now on."""
        fresh, old = self.root(Sort.FRESH, node), self.root(Sort.OLD, node)
        if (
            any(fresh in v.roots for v in self.env.values())
            or fresh in self.heap
            or fresh in self.escaped
            or self._is_held(fresh)
        ):
            self._age(fresh, old)
        return Value(frozenset({fresh}), True)

    def contain(self, node: ast.AST, values: Iterable[Value]) -> Value:
        """A new container that holds the values."""
        held = frozenset().union(*(v.roots for v in values))
        made = self.allocate(node)
        aged = {self.root(Sort.OLD, node) if r.key is node and r.sort is Sort.FRESH else r for r in held}
        self.heap[next(iter(made.roots))] = frozenset(aged)
        return made

    def put(self, container: Value, value: Value) -> None:
        """Stores a value in a container or object; what goes into something outside escapes."""
        for root in container.roots:
            if root.is_outside:
                self.escape(value)
            else:
                self.heap[root] = self.heap.get(root, frozenset()) | value.roots

    def contents(self, container: Value) -> Value:
        """What a container can hold; a thing from outside stands for all that it holds, a tensor for its rows."""
        found: set[Root] = set()
        for root in container.roots:
            if root.is_outside or root not in self.heap:
                found.add(root)
            else:
                found |= self.heap[root]
                if root in self.escaped:
                    found.add(OUTSIDE_ROOT)
        return Value(frozenset(found))

    def reach(self, value: Value) -> frozenset[Root]:
        """All storages that can be reached through a value."""
        found = set(value.roots)
        todo = list(found)
        while todo:
            # containers hold much the same things: what is new is told by sets, not one by one
            new = self.heap.get(todo.pop(), _NONE) - found
            if new:
                found |= new
                todo += new
        return frozenset(found)

    def escape(self, value: Value) -> None:
        """Makes everything that a value reaches visible from places outside the function."""
        self.escaped |= self.reach(value)

    def _is_held(self, root: Root) -> bool:
        return any(root in held for held in self.heap.values())

    def _age(self, fresh: Root, old: Root) -> None:
        def swap(roots: frozenset[Root]) -> frozenset[Root]:
            return (roots - {fresh}) | {old} if fresh in roots else roots

        for name, value in self.env.items():
            if fresh in value.roots:
                self.env[name] = Value(swap(value.roots))
        for root, held in self.heap.items():
            self.heap[root] = swap(held)
        if fresh in self.heap:
            self.heap[old] = self.heap.get(old, frozenset()) | self.heap.pop(fresh)
        self.escaped = swap(self.escaped)
