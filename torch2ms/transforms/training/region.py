"""The statements that become `forward_fn`: from the first whose value reaches the loss through weights, to backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.training.bindings import surely_bound
from torch2ms.transforms.training.callees import asks_for_gradient
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.events import Act, Event
from torch2ms.transforms.training.tree import Layout, own_nodes, touches


@dataclass(frozen=True, slots=True)
class Region:
    """`block[start:end]` computes the loss; `block[end]` is the statement of the backward, or holds it."""

    site: Event
    block: list[ast.stmt]
    start: int
    end: int
    shared: frozenset[str]  # paths from before the region through which the loss hangs on weights

    @property
    def stmts(self) -> list[ast.stmt]:
        """The statements of the region."""
        return self.block[self.start : self.end]

    @property
    def close(self) -> ast.stmt:
        """The statement behind the region, with the backward."""
        return self.block[self.end]


@dataclass(frozen=True, slots=True)
class Surface:
    """How a region hangs together with the code around it."""

    inputs: tuple[str, ...]  # names read before they are bound inside
    parameters: tuple[str, ...]  # those of them that must be parameters, as the region assigns them too
    aux: tuple[str, ...]  # names assigned inside and read later, the loss apart
    outer: tuple[str, ...]  # names that must be declared nonlocal or global


class Regions:
    """Finds regions in one function or module body."""

    def __init__(self, facts: Facts, layout: Layout, carriers: Carriers, events: list[Event], idle: set[int]) -> None:
        self.facts = facts
        self.layout = layout
        self.carriers = carriers
        # statements that use gradients, or hold one that does: a region does not reach across them
        users = [
            e.stmt
            for i, event in enumerate(events)
            if event.act is not Act.ZERO and i not in idle
            for e in (event, *event.more)
        ]
        self._walls = {s for stmt in users for s in (stmt, *layout.around(stmt))}
        self.flow = facts.flow(layout.scope)
        # `del out` needs the name as much as a read does
        self._deleted: dict[ast.stmt, frozenset[str]] = {
            stmt: frozenset(target.id for target in stmt.targets if isinstance(target, ast.Name))
            for stmt in layout.places
            if isinstance(stmt, ast.Delete)
        }
        self._hang = Carriers(facts, carriers.callees, sources=False)

    def find(self, site: Event, climb: bool = True) -> Region:
        """The region of a backward; an empty one where nothing in reach computes the loss.

        Where its own list computes nothing, `climb` looks in the lists around it.
        """
        owners = [event.owner for event in (*site.more, site)]
        needs = frozenset(p for owner in owners for p in self._paths(owner, self.carriers.before[site.stmt]))
        place = self.layout.places[site.stmt]
        region = self._in_block(site, place.block, place.index, needs)
        own = any(self.carriers.carries(owner, frozenset()) for owner in owners)
        while (
            climb
            and not region.stmts
            and not own
            and place.owner is not None
            and not isinstance(place.owner, (ast.For, ast.AsyncFor, ast.While))
        ):
            place = self.layout.places[place.owner]
            region = self._in_block(site, place.block, place.index, needs)
        return region

    def find_needs(self, site: Event, needs: Env) -> Region:
        """The region that computes several paths just before the statement of `site`."""
        place = self.layout.places[site.stmt]
        return self._in_block(site, place.block, place.index, needs)

    def _in_block(self, site: Event, block: list[ast.stmt], end: int, needs: Env) -> Region:
        start = end
        mine = {event.stmt for event in site.more}
        for index in range(end - 1, -1, -1):
            stmt = block[index]
            if stmt in mine:
                continue
            if stmt in self._walls:
                break
            if self._makes_leaf(stmt):
                continue
            written = {p for p in needs if any(touches(p, w) for w in self._written(stmt))}
            if any(touches(p, c) for p in written for c in self.carriers.before[block[index + 1]]):
                start = index
                needs = (needs - self._killed(stmt)) | frozenset(self._feeding(stmt, written))
        before = self.carriers.before[block[start]]
        return Region(site, block, start, end, frozenset(p for p in needs if any(touches(p, c) for c in before)))

    def _makes_leaf(self, stmt: ast.stmt) -> bool:
        """Whether a statement makes a tensor that asks for its own gradient, from nothing that carries one."""
        if not isinstance(stmt, (ast.Assign, ast.Expr)) or not isinstance(stmt.value, ast.Call):
            return False
        call = stmt.value
        made = self.facts.names.of(call.func) == "torch.nn.Parameter"
        inner = [*call.args, *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]
        return (made or asks_for_gradient(call)) and not any(
            self.carriers.carries(i, self.carriers.before[stmt]) for i in inner
        )

    def _paths(self, expr: ast.expr, env: Env) -> Iterator[str]:
        """The paths in an expression through which its value hangs on weights."""
        for where in self._read_paths(expr, env):
            if any(touches(where, name) for name in env) and self._hang.carries(expr, frozenset({where})):
                yield where

    def _feeding(self, stmt: ast.stmt, written: set[str]) -> Iterator[str]:
        """The paths that a statement reads and whose gradient reaches what it writes."""
        env = self.carriers.before[stmt]
        for where in self._read_paths(stmt, env):
            if any(touches(where, name) for name in env):
                after = Carriers(self.facts, self.carriers.callees, sources=False).run([stmt], frozenset({where}))
                if any(touches(p, a) for p in written for a in after - {where}) or where in written and where in after:
                    yield where

    def _read_paths(self, node: ast.AST, env: Env) -> list[str]:
        """The paths read in a node, longest of each chain; a method reads what its object holds."""
        found: dict[str, None] = {}
        stack = [node]
        while stack:
            current = stack.pop()
            if isinstance(current, ast.Call):
                receiver = self.carriers.callees.receiver(current)
                owner = dotted(receiver) if receiver is not None else None
                if owner is not None:
                    found.update(dict.fromkeys([owner, *(p for p in env if p.startswith(owner + "."))]))
            where = dotted(current) if isinstance(current, (ast.Name, ast.Attribute)) else None
            if where is not None:
                found[where] = None
                continue
            stack.extend(ast.iter_child_nodes(current))
        return list(found)

    @staticmethod
    def _killed(stmt: ast.stmt) -> frozenset[str]:
        if not isinstance(stmt, ast.Assign):
            return frozenset()
        targets = [
            t for target in stmt.targets for t in ([*target.elts] if isinstance(target, ast.Tuple) else [target])
        ]
        return frozenset(p for t in targets if (p := dotted(t)))

    def _written(self, stmt: ast.stmt) -> frozenset[str]:
        """The paths that a statement assigns, or grows: `losses.append(x)`, `total[k] = x`, `x.add_(y)`."""
        found: set[str | None] = set()
        for inner in walk(stmt):
            if isinstance(inner, ast.stmt) and not hasattr(inner, "body"):
                found |= self.carriers.left_behind(inner)
        for node in own_nodes(stmt):
            if isinstance(node, (ast.Name, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
                found.add(dotted(node))
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                found.add(dotted(node.value))
            elif isinstance(node, ast.Call) and (owner := self.carriers.callees.receiver(node)) is not None:
                found.add(dotted(owner))
        return frozenset(p for p in found if p)

    def inputs(self, stmts: list[ast.stmt]) -> frozenset[str]:
        """Names that statements read before they are bound there; the statements need not follow each other."""
        found: frozenset[str] = frozenset()
        bound: frozenset[str] = frozenset()
        for stmt in stmts:
            found |= self.flow.live_in([stmt]) - bound
            bound = (bound | surely_bound([stmt])) - self._deleted.get(stmt, frozenset())
        return found

    def surface(self, region: Region, stmts: list[ast.stmt], later: list[ast.stmt]) -> Surface:
        """Inputs, outputs and outer names of the statements that go into the function.

        `later` are statements of the region that run after the gradient instead.
        """
        flow = self.flow
        inputs = self.inputs(stmts)
        written = flow.writes(stmts)
        assigned = [name for name in _in_order(stmts) if name in written]
        assigned += sorted(written - set(assigned))
        live = flow.live_out(region.stmts) if region.stmts else frozenset()
        live |= frozenset().union(*(names for stmt, names in self._deleted.items() if stmt not in stmts))
        live |= self.inputs(later)
        bound = surely_bound(stmts)
        parameters, aux, outer = [], [], []
        for name in assigned:
            carried = name in inputs or name in live and name not in bound
            if name in flow.shared or carried and not flow.definitely_assigned(name, stmts):
                outer.append(name)
                continue
            if carried:
                parameters.append(name)
            if name in live:
                aux.append(name)
        return Surface(tuple(sorted(inputs)), tuple(parameters), tuple(aux), tuple(outer))


def _in_order(stmts: list[ast.stmt]) -> list[str]:
    """Names stored in the statements, by their first store."""
    names: dict[str, None] = {}
    for stmt in stmts:
        stores = [n for n in own_nodes(stmt) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        for node in sorted(stores, key=lambda n: (n.lineno, n.col_offset)):
            names[node.id] = None
    return list(names)
