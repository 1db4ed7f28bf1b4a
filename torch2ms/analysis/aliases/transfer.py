"""Carries states of storages through the control flow graph of a function."""

from __future__ import annotations

import ast
import heapq

from torch2ms.analysis.aliases.evaluate import Evaluator
from torch2ms.analysis.aliases.storage import NOTHING, OUTSIDE, Sort, State, Value
from torch2ms.analysis.cfg import Node
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.scope import all_arguments

_INNER = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_VISITS = 40


class Transfer(Evaluator):
    """The states before each node of a function's graph."""

    def solve(self) -> dict[int, State]:
        """Runs to the fixpoint."""
        graph = self.flow.graph
        before = {graph.entry.index: self.initial()}
        visits: dict[int, int] = {}
        todo = [graph.entry.index]
        self.returned = NOTHING
        while todo:
            node = graph.nodes[heapq.heappop(todo)]
            visits[node.index] = visits.get(node.index, 0) + 1
            state = before[node.index].copy()
            thrown = before[node.index] if node.raises else None
            self.run(node, state)
            for target, new in [
                *((t, state) for t in node.successors),
                *((t, state.join(thrown)) for t in node.raises if thrown is not None),
            ]:
                known = before.get(target.index)
                merged = new.copy() if known is None else known.join(new)
                if (known is None or merged != known) and visits.get(target.index, 0) < _MOST_VISITS:
                    before[target.index] = merged
                    if target.index not in todo:
                        heapq.heappush(todo, target.index)
        self.settled = all(count < _MOST_VISITS for count in visits.values())
        escaped = before[graph.exit.index].escaped if graph.exit.index in before else frozenset()
        self.kept = {str(r.key) for r in escaped if r.sort is Sort.PARAMETER}
        return before

    def initial(self) -> State:
        """The state when the function is entered."""
        args = getattr(self.function, "args", None)
        given = [a.arg for a in all_arguments(args) if not self.is_light(a)] if args is not None else []
        state = State()
        state.env = {name: state.at(Sort.PARAMETER, name) for name in given}
        return state

    def run(self, node: Node, state: State) -> None:
        """Carries one node out."""
        stmt = node.stmt
        if not node.parts or stmt is None:
            return
        if stmt in node.parts:
            self._statement(stmt, state)
        elif isinstance(stmt, (ast.For, ast.AsyncFor)) and node.parts[0] is stmt.target:
            self.bind_items(stmt.target, stmt.iter, self.eval(stmt.iter, state.copy()), state)
        elif isinstance(stmt, (ast.With, ast.AsyncWith)):
            self._with(stmt, state)
        elif isinstance(stmt, ast.Match) and node.parts[0] is not stmt.subject:
            self._pattern(stmt, node.parts, state)
        else:
            for part in node.parts:
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    state.env[part.id] = OUTSIDE
                elif isinstance(part, ast.expr):
                    self.eval(part, state)

    def _statement(self, stmt: ast.AST, state: State) -> None:
        if isinstance(stmt, ast.Assign):
            value = self.eval(stmt.value, state)
            for target in stmt.targets:
                self.bind(target, value, state, stmt.value)
        elif isinstance(stmt, ast.AnnAssign) and stmt.value is not None:
            self.bind(stmt.target, self.eval(stmt.value, state), state, stmt.value)
        elif isinstance(stmt, ast.AugAssign):
            self._augmented(stmt, state)
        elif isinstance(stmt, ast.Return):
            if stmt.value is not None:
                value = self.eval(stmt.value, state)
                self.returned = Value(self.returned.roots | state.reach(value))
                if any(r in state.escaped and not r.is_outside for r in state.reach(value)):
                    self.returned |= OUTSIDE
        elif isinstance(stmt, ast.Delete):
            for target in stmt.targets:
                if isinstance(target, ast.Name):
                    state.env.pop(target.id, None)
                    self.forget(target.id, state)
        elif isinstance(stmt, (*_INNER, ast.ClassDef)):
            self._definition(stmt, state)
        else:
            for part in ast.iter_child_nodes(stmt):
                if isinstance(part, ast.expr):
                    self.eval(part, state)

    def _augmented(self, stmt: ast.AugAssign, state: State) -> None:
        target, value = stmt.target, self.eval(stmt.value, state)
        info = self.kinds.of(target)
        if isinstance(target, ast.Subscript):
            container = self.eval(target.value, state)
            if self.kinds.of(target.value).kind not in (*TENSOR_KINDS, Kind.NDARRAY):
                state.put(container, Value(value.roots | state.allocate(stmt).roots))
            return
        if info.certain and info.kind is Kind.SEQUENCE:
            state.put(self._load(target, state), state.contents(value))
            return
        before = self.kinds.before(stmt)
        if before.certain and before.kind in (*TENSOR_KINDS, Kind.NDARRAY) and not before.optional:
            return
        if before.kind is Kind.NUMBER and before.certain:
            self.bind(target, state.allocate(stmt), state)
        elif (
            info.certain
            and info.kind in (*TENSOR_KINDS, Kind.NDARRAY, Kind.NUMBER)
            or self.kinds.of(stmt.value).kind in TENSOR_KINDS
        ):
            self.bind(target, Value(self._load(target, state).roots | state.allocate(stmt).roots), state)
        elif not (info.certain and info.kind is Kind.STRING):
            self.bind(
                target, Value(self._load(target, state).roots | state.reach(value) | state.allocate(stmt).roots), state
            )

    def _load(self, target: ast.expr, state: State) -> Value:
        if isinstance(target, ast.Name):
            return state.env.get(target.id, NOTHING)
        return self.eval(target, state)

    def _with(self, stmt: ast.With | ast.AsyncWith, state: State) -> None:
        for item in stmt.items:
            value = self.eval(item.context_expr, state)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, Value(value.roots | state.contents(value).roots), state)

    def _pattern(self, stmt: ast.Match, parts: tuple[ast.AST, ...], state: State) -> None:
        held = Value(state.reach(self.eval(stmt.subject, state)))
        for name in self.flow.writes([parts[0]]):
            state.env[name] = held
        for part in parts[1:]:
            if isinstance(part, ast.expr):
                self.eval(part, state)

    def _definition(self, stmt: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, state: State) -> None:
        """An inner function keeps what it reads, and may change it whenever it runs."""
        captured = [state.env[name] for name in self.flow.reads([stmt]) if name in state.env]
        for value in captured:
            state.escape(value)
        for part in walk(stmt):
            if isinstance(part, ast.expr) and part in getattr(stmt, "decorator_list", ()):
                self.eval(part, state)
        state.env[stmt.name] = state.contain(stmt, captured)
