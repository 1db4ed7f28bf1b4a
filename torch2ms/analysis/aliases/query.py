"""Questions about the storages of a function: who shares with whom, what is seen outside, what is written."""

from __future__ import annotations

import ast
import enum
from functools import cached_property
from typing import TYPE_CHECKING

from torch2ms.analysis.aliases.derivation import Derivation, bindings, derivation, derivation_at, view_base
from torch2ms.analysis.aliases.operations import PURE_VIEWS, VIEWS
from torch2ms.analysis.aliases.storage import Root, Sort, State, Value
from torch2ms.analysis.aliases.transfer import Transfer
from torch2ms.analysis.aliases.writes import How, Write, find_writes
from torch2ms.analysis.cfg import Node
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.project import CallEffects

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts, FunctionNode


class Sharing(enum.IntEnum):
    """Whether two values share storage."""

    NO = 0
    UNDECIDED = 1  # both come from outside the function, where anything may be the same
    MAYBE = 2  # on some path, or by an operation that sometimes copies
    SURE = 3


class Aliases:
    """The storages of one function; where its states did not settle, everything may share with everything."""

    def __init__(self, facts: Facts, function: FunctionNode) -> None:
        self._transfer = Transfer(facts, function)
        self._facts = facts

    @cached_property
    def _before(self) -> dict[int, State]:
        """The states before the nodes of the flow: worked out when first asked for, as most functions write nothing in place."""
        return self._transfer.solve()

    @property
    def _solved(self) -> Transfer:
        """The transfer, with its states worked out."""
        _ = self._before
        return self._transfer

    @cached_property
    def _nodes(self) -> dict[ast.AST, list[Node]]:
        found: dict[ast.AST, list[Node]] = {}
        for node in self._transfer.flow.graph.nodes:
            if node.stmt is not None:
                found.setdefault(node.stmt, []).append(node)
        return found

    @cached_property
    def writes(self) -> tuple[Write, ...]:
        """The in-place writes of the function in source order."""
        return find_writes(self._transfer)

    def sharing(self, a: ast.expr, b: ast.expr) -> Sharing:
        """Whether the values of two expressions of one statement share storage when the statement runs."""
        if not self._solved.settled:
            return Sharing.MAYBE
        state = self._state(a)
        first = self._solved.eval(a, state)
        return _sharing(first, self._solved.eval(b, state), state)

    def holders(self, expr: ast.expr) -> dict[str, Sharing]:
        """The names and paths like `self.x` that can share storage with the value of the expression where it stands.

        Names that hold a container count for what it contains. Names of outer scopes do not appear: see `seen_outside`.
        """
        if not self._solved.settled:
            return dict.fromkeys(self._transfer.flow.locals, Sharing.MAYBE)
        state = self._state(expr)
        value = self._solved.eval(expr, state)
        found = {name: _sharing(value, held, state) for name, held in state.env.items()}
        return {name: sharing for name, sharing in found.items() if sharing is not Sharing.NO}

    def seen_outside(self, expr: ast.expr) -> Sharing:
        """Whether a write to the value can be seen outside the function: by the caller, in an attribute, a global, a closure."""
        if not self._solved.settled:
            return Sharing.MAYBE
        state = self._state(expr)
        value = self._solved.eval(expr, state)
        roots = state.reach(value)
        seen = [r.is_outside or r in state.escaped for r in roots]
        if not any(seen):
            return Sharing.NO
        return Sharing.SURE if value.exact and all(seen) else Sharing.MAYBE

    def is_private(self, expr: ast.expr) -> bool:
        """Whether the value was made in this function and nobody else can hold it."""
        return self.seen_outside(expr) is Sharing.NO

    def derivation(self, name: ast.Name) -> Derivation | None:
        """How the variable was made as a view of another one, if it surely was and neither was rebound since."""
        return derivation(self._solved, name)

    def derivation_at(self, name: str, stmt: ast.stmt) -> Derivation | None:
        """How the variable that holds a name at the start of a statement was made as a view that gradients run through."""
        return derivation_at(self._solved, name, stmt)

    def view_base(self, expr: ast.expr, cut: bool = False) -> str | None:
        """The variable of which an expression is surely a view, by a chain that gradients run through, or `cut` may be."""
        return view_base(self._transfer, expr, VIEWS if cut else PURE_VIEWS)

    def bindings(self, name: ast.Name) -> tuple[ast.AST, ...]:
        """The statements that bound the tensor of a name where it stands; augmented assignments do not count."""
        return bindings(self._transfer, name.id, self._facts.statement(name))

    def made_by(self, name: str, stmt: ast.stmt) -> tuple[ast.AST, ...]:
        """The statements that bound the tensor which a name holds at the start of a statement."""
        return bindings(self._transfer, name, stmt)

    def callees(self, call: ast.Call) -> list[str]:
        """The functions of the project that a call can run."""
        name = self._facts.names.of(call.func)
        return [qualified for qualified, _ in self._transfer.callees(call, name)]

    def index_kind(self, index: ast.expr) -> str:
        """Whether indexing a tensor with this gives a view (basic), a copy (advanced), or one of them (unknown)."""
        return self._transfer.index_kind(index)

    def parameters_behind(self, expr: ast.expr) -> frozenset[str] | None:
        """The parameters whose storage the value can share; None where it can share with anything else outside the function."""
        state = self._state(expr)
        roots = state.reach(self._solved.eval(expr, state))
        outside = [r for r in roots if r.is_outside or r in state.escaped]
        if any(r.sort is not Sort.PARAMETER for r in outside):
            return None
        return frozenset(str(r.key) for r in outside)

    def origins(self, expr: ast.expr) -> frozenset[Root]:
        """The storages that the value can share."""
        state = self._state(expr)
        return state.reach(self._solved.eval(expr, state))

    def held_by(self, name: str, at: ast.expr) -> frozenset[Root]:
        """The storages that a name can share where the expression stands."""
        state = self._state(at)
        return state.reach(state.env[name]) if name in state.env else frozenset()

    @cached_property
    def effects(self) -> CallEffects:
        """What a call of the function does to its arguments."""
        flow = self._transfer.flow
        names = flow.parameters
        if not self._solved.settled:
            return CallEffects.anything(names)
        written: set[str] = set()
        surely: set[str] = set()
        for write in self.writes:
            reached = {str(r.key) for r in self._written(write) if r.sort is Sort.PARAMETER}
            written |= reached
            surely |= reached if write.flag is None else set()
        returned = self._solved.returned.roots
        shares = {str(r.key) for r in returned if r.sort is Sort.PARAMETER}
        keeps, outside = self._left_behind(returned)
        path_owners = {str(r.key).partition(".")[0] for r in returned if r.sort is Sort.ATTRIBUTE}
        shares |= path_owners & names
        return CallEffects(
            frozenset(written),
            frozenset(shares),
            frozenset(keeps),
            outside or bool(path_owners - names),
            frozenset(written - surely),
        )

    def _written(self, write: Write) -> frozenset[Root]:
        state = self._state(write.target)
        roots = state.reach(self._solved.eval(write.target, state))
        if write.how is How.GRADIENT:
            return frozenset(r for r in roots if r.sort is Sort.PARAMETER)
        owners = {str(r.key).partition(".")[0] for r in roots if r.sort is Sort.ATTRIBUTE}
        return roots | {state.root(Sort.PARAMETER, name) for name in owners & self._transfer.flow.parameters}

    def _left_behind(self, returned: frozenset[Root]) -> tuple[set[str], bool]:
        """Parameters that stay reachable from elsewhere, and whether the result may share with something else outside."""
        keeps = self._solved.kept
        outside = any(r.sort in (Sort.GLOBAL, Sort.OUTSIDE, Sort.GRADIENT) for r in returned)
        return keeps, outside

    def _state(self, expr: ast.expr) -> State:
        """The state right before the part of a statement that holds the expression, as far as it was reached."""
        stmt = self._facts.statement(expr)
        nodes = self._nodes.get(stmt, [])
        held = next((n for n in nodes if any(expr is p or expr in walk(p) for p in n.parts)), None) or (
            nodes[0] if nodes else None
        )
        if held is None or held.index not in self._before:
            return State()
        state = self._before[held.index].copy()
        copies = [n for n in nodes if n is not held and n.parts == held.parts and n.index in self._before]
        for other in copies:
            state = state.join(self._before[other.index])
        return state


def _sharing(a: Value, b: Value, state: State) -> Sharing:
    if a.exact and b.exact and a.roots == b.roots and len(a.roots) == 1:
        return Sharing.SURE
    first, second = state.reach(a), state.reach(b)
    if first & second:
        return Sharing.MAYBE
    if _open(first, state) and _open(second, state):
        return Sharing.UNDECIDED
    return Sharing.NO


def _open(roots: frozenset[Root], state: State) -> bool:
    return any(r.is_outside or r in state.escaped for r in roots)
