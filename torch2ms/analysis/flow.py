"""Reads and writes of names, liveness, assignment and dominance inside one function or module body."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from torch2ms.analysis.cfg import Graph, Node
from torch2ms.analysis.effects import EffectReader, attribute_paths
from torch2ms.analysis.names import Names
from torch2ms.analysis.nodes import children, walk
from torch2ms.analysis.paths import count_between, dominators
from torch2ms.analysis.scope import all_arguments

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_CLOSED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Jumps:
    """What leaves a region otherwise than at its end (break and continue only of loops outside it)."""

    breaks: tuple[ast.Break, ...]
    continues: tuple[ast.Continue, ...]
    returns: tuple[ast.Return, ...]
    yields: tuple[ast.Yield | ast.YieldFrom | ast.Await, ...]
    raises: tuple[ast.Raise, ...]

    def __bool__(self) -> bool:
        return bool(self.breaks or self.continues or self.returns or self.yields)


class Flow:
    """The flow of one def, lambda or module.

    A region is a list of consecutive statements of one block. Names are plain strings: variables of the function and free
    names alike; what comprehensions, lambdas and inner defs bind for themselves does not count.
    What a closure made in this function reads counts as live everywhere, since the closure may run at any time.
    """

    def __init__(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module, names: Names
    ) -> None:
        self.function = function
        self.names = names
        self.scope = names.table.scope_of[function]
        self._reader = EffectReader(names, self.scope)
        self.body: list[ast.stmt] = (
            function.body
            if isinstance(function.body, list)
            else [ast.copy_location(ast.Expr(function.body), function.body)]
        )
        self.graph = Graph(self.body, self._reader)

    @property
    def locals(self) -> frozenset[str]:
        """The names that this function or module binds (parameters included; global and nonlocal ones not)."""
        return frozenset(self.scope.bindings)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters."""
        args = getattr(self.function, "args", None)
        return frozenset(a.arg for a in all_arguments(args)) if args is not None else frozenset()

    @cached_property
    def shared(self) -> frozenset[str]:
        """Names declared global or nonlocal here: what is written to them is seen outside."""
        return frozenset(self.scope.globals | self.scope.nonlocals)

    @cached_property
    def captured_reads(self) -> frozenset[str]:
        """Names that closures made in this function read."""
        return frozenset().union(*(n.effects.captured_reads for n in self.graph.nodes))

    @cached_property
    def captured_writes(self) -> frozenset[str]:
        """Names that closures made in this function write (nonlocal, or global at module level)."""
        return frozenset().union(*(n.effects.captured_writes for n in self.graph.nodes))

    @cached_property
    def loops(self) -> tuple[ast.For | ast.AsyncFor | ast.While, ...]:
        """The loops of this function, outer before inner."""
        return tuple(s for s in self.graph.entries if isinstance(s, _LOOPS))

    def loop_of(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop of this function whose body or test holds the node (its else and its iterable do not)."""
        child, current = node, self.names.parents.get(node)
        while current is not None and child is not self.function:
            if isinstance(current, _LOOPS) and (
                child in current.body or isinstance(current, ast.While) and child is current.test
            ):
                return current
            child, current = current, self.names.parents.get(current)
        return None

    def reads(self, stmts: Iterable[ast.AST]) -> frozenset[str]:
        """Names that the statements (with their bodies) or expressions may read, through closures too."""
        return frozenset(self._reader.of(stmts).reads)

    def writes(self, stmts: Iterable[ast.AST]) -> frozenset[str]:
        """Names that they may bind, rebind or delete."""
        return frozenset(self._reader.of(stmts).all_writes)

    def attribute_reads(self, stmts: Iterable[ast.AST]) -> frozenset[str]:
        """Dotted paths such as `self.loss_G` that they read, the longest of each chain."""
        return attribute_paths(stmts, store=False)

    def attribute_writes(self, stmts: Iterable[ast.AST]) -> frozenset[str]:
        """Dotted paths that they assign."""
        return attribute_paths(stmts, store=True)

    def live_in(self, stmts: Sequence[ast.stmt]) -> frozenset[str]:
        """Names whose value at the start of the region may be read inside the region."""
        region = self._region(stmts)
        live = self._liveness(region, {})
        return frozenset().union(*(live[n.index] for n in self.graph.entries[stmts[0]]))

    def live_out(self, stmts: Sequence[ast.stmt]) -> frozenset[str]:
        """Names whose value at an end of the region may be read later: after it, or in the next iteration of a loop around it."""
        inside = {n.index for n in self._region(stmts)}
        found = set(self.captured_reads)
        for node in self._region(stmts):
            for target in (*node.successors, *node.raises):
                if target.index not in inside:
                    found |= self._live[target.index]
        return frozenset(found)

    def live_after(self, stmt: ast.stmt) -> frozenset[str]:
        """`live_out` of one statement."""
        return self.live_out([stmt])

    def definitely_assigned(self, name: str, stmts: Sequence[ast.stmt]) -> bool:
        """Whether the function has bound the name on every path to the first of the statements."""
        states = [self._assigned[n.index] for n in self.graph.entries[stmts[0]]]
        return all(state is None or name in state for state in states)

    def dominates(self, a: ast.stmt, b: ast.stmt) -> bool:
        """Whether every path from the start of the function to `b` runs through `a` first (a statement dominates itself)."""
        before = {n.index for n in self.graph.entries[a]}
        return all(before & self._dominators[n.index] for n in self.graph.entries[b])

    def between(self, start: ast.stmt, end: ast.stmt, marks: Iterable[ast.stmt]) -> tuple[int, int | None] | None:
        """How many of `marks` run on a path from `start` to `end` that meets neither in between: fewest and most.

        None for the most where a loop can repeat one; None alone where no path leads from `start` to `end`.
        `start` and `end` may be the same statement of a loop: then the paths of one round.
        """
        wanted = {n.index for m in marks for n in self.graph.entries[m]}
        return count_between(self.graph, self._last_nodes(start), self.graph.entries[end], wanted)

    def reaching(self, name: str, stmt: ast.stmt) -> tuple[ast.AST, ...]:
        """The statements that may have given `name` the value it has when `stmt` starts; the function itself for its entry."""
        found: dict[ast.AST, None] = {}
        seen: set[int] = set()
        todo = [before for n in self.graph.entries[stmt] for before in self._before(n)]
        while todo:
            node = todo.pop()
            if node.index in seen:
                continue
            seen.add(node.index)
            if node is self.graph.entry:
                found[self.function] = None
            if name in node.effects.all_writes and node.stmt is not None:
                found[node.stmt] = None
                if name in node.effects.writes:
                    continue
            todo.extend(self._before(node))
        return tuple(found)

    def jumps(self, stmts: Sequence[ast.stmt]) -> Jumps:
        """The break, continue, return, yield and raise that leave the region, those of inner defs apart."""
        found: dict[type, list[ast.AST]] = {}
        todo: list[tuple[ast.AST, bool]] = [(s, False) for s in reversed(stmts)]
        while todo:
            node, in_loop = todo.pop()
            if isinstance(node, _CLOSED):
                continue
            if isinstance(node, (ast.Break, ast.Continue)):
                if not in_loop:
                    found.setdefault(type(node), []).append(node)
                continue
            if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Raise)):
                found.setdefault(type(node), []).append(node)
            orelse = getattr(node, "orelse", []) if isinstance(node, _LOOPS) else []
            todo += reversed([(c, in_loop or isinstance(node, _LOOPS) and c not in orelse) for c in children(node)])
        get = found.get
        yields = [*get(ast.Yield, []), *get(ast.YieldFrom, []), *get(ast.Await, [])]
        parts = (get(ast.Break, []), get(ast.Continue, []), get(ast.Return, []), yields, get(ast.Raise, []))
        return Jumps(*(tuple(p) for p in parts))  # type: ignore[arg-type]

    def _region(self, stmts: Sequence[ast.stmt]) -> list[Node]:
        inside: set[ast.AST] = set()
        for stmt in stmts:
            inside.update(walk(stmt))
        return [n for n in self.graph.nodes if n.stmt in inside]

    def _last_nodes(self, stmt: ast.stmt) -> list[Node]:
        """The nodes behind the ends of a statement."""
        region = self._region([stmt])
        inside = {n.index for n in region}
        return [t for n in region for t in (*n.successors, *n.raises) if t.index not in inside]

    def _before(self, node: Node) -> list[Node]:
        return [*node.predecessors, *self._raisers.get(node.index, ())]

    @cached_property
    def _raisers(self) -> dict[int, list[Node]]:
        found: dict[int, list[Node]] = {}
        for node in self.graph.nodes:
            for handler in node.raises:
                found.setdefault(handler.index, []).append(node)
        return found

    @cached_property
    def _live(self) -> dict[int, set[str]]:
        return self._liveness(self.graph.nodes, {self.graph.exit.index: set(self.shared)})

    def _liveness(self, nodes: list[Node], given: dict[int, set[str]]) -> dict[int, set[str]]:
        """Names live at the start of each node; what lies outside `nodes` contributes nothing."""
        live = {n.index: set(given.get(n.index, ())) for n in nodes}
        changed = True
        while changed:
            changed = False
            for node in reversed(nodes):
                after: set[str] = set()
                for target in node.successors:
                    after |= live.get(target.index, set())
                caught: set[str] = set()
                for target in node.raises:
                    caught |= live.get(target.index, set())
                now = node.effects.reads | (after - node.effects.writes - node.effects.deletes) | caught
                if not now <= live[node.index]:
                    live[node.index] |= now
                    changed = True
        return live

    @cached_property
    def _assigned(self) -> list[set[str] | None]:
        """Names bound for sure at the start of each node; None for a node that is never reached."""
        states: list[set[str] | None] = [None] * len(self.graph.nodes)
        states[self.graph.entry.index] = set(self.parameters)
        changed = True
        while changed:
            changed = False
            for node in self.graph.nodes:
                before = states[node.index]
                if before is None:
                    continue
                after = (before | node.effects.writes) - node.effects.deletes
                for target, state in [*((t, after) for t in node.successors), *((t, before) for t in node.raises)]:
                    known = states[target.index]
                    new = set(state) if known is None else known & state
                    if new != known:
                        states[target.index] = new
                        changed = True
        return states

    @cached_property
    def _dominators(self) -> list[set[int]]:
        return dominators(self.graph)
