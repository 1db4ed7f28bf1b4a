"""The gradients of one optimizer, or of parameters that are updated by hand, along the paths of a function."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.contents import UNKNOWN, Contents
from torch2ms.transforms.training.events import Act, Event, indices
from torch2ms.transforms.training.manual import Manual
from torch2ms.transforms.training.owners import Holding, Owners
from torch2ms.transforms.training.tree import Layout


@dataclass(slots=True)
class Pool:
    """The gradients of one optimizer."""

    owner: ast.expr | None  # the optimizer; None for updates by hand
    steps: list[int]
    holding: Holding | None
    contents: Contents
    manual: Manual | None = None

    def used(self, index: int) -> set[int]:
        """The backwards whose gradients an event may find."""
        return {i for content in self.contents.before.get(index, ()) for i in content if i >= 0}


class Pools:
    """The pools of one function or module body."""

    def __init__(
        self, facts: Facts, layout: Layout, events: list[Event], owners: Owners, manuals: list[Manual], clean: bool
    ) -> None:
        self.layout = layout
        self.events = events
        self.owners = owners
        self.manuals = manuals
        self.anchors = {i: m.anchor(layout, events[i]) for m in manuals for i in (*m.reads, *m.zeros)}
        self._clean = clean
        self._flow = facts.flow(layout.scope)

    def all(self) -> list[Pool]:
        by_key: dict[str, list[int]] = {}
        for index in indices(self.events, Act.STEP):
            by_key.setdefault(self.events[index].key, []).append(index)
        pools = []
        for key, steps in by_key.items():
            owner = self.events[steps[0]].owner
            holding = self.owners.optimizer(owner)
            pools.append(Pool(owner, steps, holding, self._contents({key}, holding)))
        return [*pools, *(self._manual_pool(manual) for manual in self.manuals)]

    def _manual_pool(self, manual: Manual) -> Pool:
        if manual.iterable is not None:
            holding = self.owners.parameters(manual.iterable)
        else:
            holding = Holding(frozenset(name.id for name in manual.names), True)
        return Pool(None, list(manual.reads), holding, self._contents(manual.keys(self.events), holding), manual)

    def _contents(self, keys: set[str], holding: Holding | None) -> Contents:
        def clears(event: Event) -> bool:
            return event.key in keys or self.zeroes(event, holding)

        # the gradients of what is made in this function begin empty
        roots = keys | (holding.roots if holding is not None else frozenset())
        created = [stmt for stmt in self.layout.places if _assigned(stmt) & roots]
        # a module begins with nothing
        begin = () if self._clean or isinstance(self.layout.scope, ast.Module) else (UNKNOWN,)
        return Contents(self._flow, self.events, clears, created, [begin], self.anchors)

    def zeroes(self, event: Event, holding: Holding | None) -> bool:
        """Whether a zeroing, of a module or of an optimizer, reaches all parameters of a holding."""
        if holding is None:
            return False
        run = self._run(event)
        zeroed = [self._cleared(e) for e in run[: run.index(event) + 1]] if event in run else [self._cleared(event)]
        return all(any(contains(one, Holding(frozenset({root}), True)) for one in zeroed) for root in holding.roots)

    def doubtful(self, index: int, pool: Pool, sites: list[int]) -> bool:
        """Whether a zeroing may clear some gradients that backwards left in a pool but not all."""
        event = self.events[index]
        if pool.owner is not None and event.key == dotted(pool.owner):
            return False
        if pool.manual is not None and (index in pool.manual.zeros or event.key in pool.manual.keys(self.events)):
            return False
        return bool(pool.used(index) & set(sites)) and self.partial(event, pool.holding)

    def partial(self, event: Event, holding: Holding | None) -> bool:
        """Whether a zeroing, with those beside it, may clear some gradients of a set of parameters but not all."""
        if event.act is not Act.ZERO or any(self.zeroes(other, holding) for other in self._run(event)):
            return False
        zeroed = self._cleared(event)
        return zeroed is None or holding is None or overlap(zeroed.roots, holding.roots)

    def _cleared(self, event: Event) -> Holding | None:
        """What a zeroing clears; None where that cannot be seen."""
        if self._is_optimizer(event):
            return self.owners.optimizer(event.owner)
        if isinstance(event.node, ast.Call) or self.owners.facts.kinds.of(event.owner).kind is Kind.MODULE:
            where = self.owners.path(event.owner)
            if where is not None and not self.owners.is_loop_variable(event.owner):
                return Holding(frozenset({where}), True)
        found = self.owners.parameters(event.owner)
        if found is None and isinstance(event.node, ast.Attribute) and not self.owners.is_loop_variable(event.owner):
            return Holding(frozenset({event.key}), True)
        return found

    def _run(self, event: Event) -> list[Event]:
        """The zeroings around one in its list of statements, with no other event between."""
        block = self.layout.places[event.stmt].block
        run: list[Event] = []
        for other in (e for e in self.events if self.layout.places[e.stmt].block is block):
            if other.act is Act.ZERO:
                run.append(other)
            elif event in run:
                break
            else:
                run = []
        return run

    def _is_optimizer(self, event: Event) -> bool:
        if self.owners.facts.kinds.of(event.owner).kind is Kind.OPTIMIZER:
            return True
        return any(event.key == other.key for other in self.events if other.act is Act.STEP)


def covers(module: str, holding: Holding) -> bool:
    """Whether all parameters of a holding are among those of the module at a path."""
    return all(root == module or root.startswith(module + ".") for root in holding.roots)


def contains(outer: Holding | None, inner: Holding | None) -> bool:
    """Whether all parameters of one set are surely in the other."""
    if outer is None or inner is None or not outer.whole:
        return False
    return all(any(covers(root, Holding(frozenset({r}), True)) for root in outer.roots) for r in inner.roots)


def _assigned(stmt: ast.stmt) -> set[str]:
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target] if isinstance(stmt, ast.AnnAssign) else []
    return {p for t in targets if (p := dotted(t))}


def overlap(a: frozenset[str], b: frozenset[str]) -> bool:
    return any(x == y or x.startswith(y + ".") or y.startswith(x + ".") for x in a for y in b)
