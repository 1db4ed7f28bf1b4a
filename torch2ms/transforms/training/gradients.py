"""Which backwards make up the gradients of a step, and so how they are kept: in a local name or in `.grad` slots."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field, replace

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.contents import UNKNOWN, Content, Contents
from torch2ms.transforms.training.events import Act, Event
from torch2ms.transforms.training.manual import Manual, find_manuals
from torch2ms.transforms.training.owners import Holding, Owners
from torch2ms.transforms.training.tree import LOOPS, Layout


class Style(enum.Enum):
    """How gradients travel from backward to step."""

    PLAIN = "plain"  # each step uses those of one backward
    SUM = "sum"  # a local name adds them up
    SLOTS = "slots"  # `.grad` of the parameters holds them, as in PyTorch


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


@dataclass(slots=True)
class Group:
    """Backwards and the optimizers that use their gradients together; all numbers index the events of the scope."""

    sites: list[int]
    pools: list[Pool] = field(default_factory=list)
    clips: list[int] = field(default_factory=list)
    zeros: list[int] = field(default_factory=list)
    style: Style = Style.SLOTS
    reason: str = ""  # why slots
    manual: Manual | None = None

    @property
    def optimizers(self) -> list[Pool]:
        """The pools that an optimizer empties."""
        return [pool for pool in self.pools if pool.owner is not None]

    @property
    def steps(self) -> list[int]:
        """The step events of all optimizers."""
        return [step for pool in self.optimizers for step in pool.steps]


class Gradients:
    """The groups of one function or module body."""

    def __init__(self, facts: Facts, layout: Layout, events: list[Event], owners: Owners) -> None:
        self.facts = facts
        self.layout = layout
        self.events = events
        self.owners = owners
        self._flow = facts.flow(layout.scope)
        self.manuals = find_manuals(facts, layout, events)
        self._anchors = {i: m.anchor(layout, events[i]) for m in self.manuals for i in (*m.reads, *m.zeros)}
        self._loose = {i for i in self._indices(Act.READ) if not any(i in m.reads for m in self.manuals)}
        self.pools = self._pools()
        # clippings where no gradients exist yet: they do nothing
        self.idle = {i for i in self._indices(Act.CLIP) if self.pools and all(self._empty(p, i) for p in self.pools)}
        self.groups = self._groups()
        for group in self.groups:
            self._attach(group)
            group.reason = self._hindrance(group)
            group.style = Style.SLOTS if group.reason else self._style(group)

    def _indices(self, act: Act) -> list[int]:
        return [i for i, event in enumerate(self.events) if event.act is act]

    def _empty(self, pool: Pool, index: int) -> bool:
        return self.events[index].bare and pool.contents.before.get(index) == frozenset({()})

    def _pools(self) -> list[Pool]:
        by_key: dict[str, list[int]] = {}
        for index in self._indices(Act.STEP):
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
        keys = {self.events[i].key for i in manual.zeros}
        return Pool(None, list(manual.reads), holding, self._contents(keys, holding), manual)

    def _contents(self, keys: set[str], holding: Holding | None) -> Contents:
        def clears(event: Event) -> bool:
            return event.key in keys or self._zeroes(event, holding)

        # the gradients of what is made in this function begin empty
        roots = keys | (holding.roots if holding is not None else frozenset())
        created = [stmt for stmt in self.layout.places if _assigned(stmt) & roots]
        clean = Contents(self._flow, self.events, clears, created, [()], self._anchors)
        if clean.at_exit <= {()} or isinstance(self.layout.scope, ast.Module) and created:
            return clean  # the function leaves nothing behind, so it finds nothing either
        return Contents(self._flow, self.events, clears, created, [(UNKNOWN,)], self._anchors)

    def _groups(self) -> list[Group]:
        sites = self._indices(Act.BACKWARD)
        root = {site: site for site in sites}

        def find(site: int) -> int:
            while root[site] != site:
                site = root[site]
            return site

        for pool in self.pools:
            # what is read by hand of one set belongs together, a step stands for itself
            together = [pool.steps] if pool.manual is not None else [[step] for step in pool.steps]
            for steps in together:
                used = set().union(*(pool.used(step) for step in steps))
                for site in used:
                    root[find(site)] = find(min(used))
        groups = {find(site): Group([]) for site in sites}
        for site in sites:
            groups[find(site)].sites.append(site)
        for group in groups.values():
            for pool in self.pools:
                steps = [step for step in pool.steps if pool.used(step) & set(group.sites)]
                if steps:
                    group.pools.append(replace(pool, steps=steps))
                    group.manual = pool.manual or group.manual
        return list(groups.values())

    def _attach(self, group: Group) -> None:
        """Gives a group the clippings and zeroings that concern it."""
        handled = group.manual.zeros if group.manual is not None else ()
        for index, event in enumerate(self.events):
            if event.act is Act.CLIP and index not in self.idle:
                used = set().union(*(pool.used(index) for pool in group.pools)) if group.pools else set(group.sites)
                if used & set(group.sites) and self._concerns(event, group):
                    group.clips.append(index)
            elif event.act is Act.ZERO and index not in handled:
                if any(self._clears(event, pool) for pool in group.pools) and self._beside(event, group):
                    group.zeros.append(index)

    def _beside(self, zero: Event, group: Group) -> bool:
        """Whether a zeroing stands in the outermost loop of a backward of the group, or in none."""
        loops = [owner for owner in self.layout.around(zero.stmt) if isinstance(owner, LOOPS)]
        around = [set(self.layout.around(self.events[site].stmt)) for site in group.sites]
        return not loops or any(loops[-1] in owners for owners in around)

    def _clears(self, event: Event, pool: Pool) -> bool:
        named = pool.owner is not None and event.key == dotted(pool.owner)
        return named or self._zeroes(event, pool.holding)

    def _zeroes(self, event: Event, holding: Holding | None) -> bool:
        """Whether a zeroing, of a module or of an optimizer, reaches all parameters of a holding."""
        if holding is None:
            return False
        zeroed = self.owners.optimizer(event.owner) if self._is_optimizer(event) else None
        if zeroed is not None:
            return contains(zeroed, holding)
        keys = self._together(event)
        return all(any(covers(key, Holding(frozenset({root}), True)) for key in keys) for root in holding.roots)

    def _together(self, event: Event) -> list[str]:
        """The modules zeroed by this call and by those before it in the same list: `decoder.zero_grad(); encoder.zero_grad()`."""
        keys: list[str] = []
        block = self.layout.places[event.stmt].block
        for other in self.events:
            if self.layout.places[other.stmt].block is block:
                keys = [*keys, other.key] if other.act is Act.ZERO else []
            if other is event:
                break
        return keys or [event.key]

    def _is_optimizer(self, event: Event) -> bool:
        return any(event.key == other.key for other in self.events if other.act is Act.STEP)

    def _concerns(self, event: Event, group: Group) -> bool:
        clipped = self.owners.parameters(event.owner)
        held = [pool.holding for pool in group.pools]
        return clipped is None or any(h is None or overlap(h.roots, clipped.roots) for h in held)

    def _hindrance(self, group: Group) -> str:
        """Why the gradients of a group cannot live in a local name; empty where they can."""
        if not group.pools:
            return "the step is not in the same function"
        if self._loose:
            return "`.grad` is read"
        if len([pool for pool in group.pools if pool.manual is not None]) > 1:
            return "`.grad` of several sets of parameters is read"
        if group.manual is not None and group.manual.names:
            if group.clips or group.optimizers or len(group.sites) > 1 or not self._all_of_one(group):
                return "gradients are read by name in several places"
        for pool in group.pools:
            for step in pool.steps:
                if pool.owner is not None and not self._is_plain_step(step):
                    return f"{ast.unparse(self.events[step].node)} is no plain statement"
                found = pool.contents.before.get(step, frozenset())
                if any(UNKNOWN in content for content in found):
                    return "gradients from outside the function may reach the step"
                if () in found and pool.manual is not None:
                    return "gradients may be read before any backward"
        if any(not self.events[i].bare for i in group.zeros):
            return "zero_grad is used inside an expression"
        if len({self._history(group, pool) for pool in group.pools}) > 1:
            return "two optimizers use different sums of the same gradients"
        if any(not self._clip_is_plain(i) for i in group.clips):
            return "the gradients are clipped inside an expression"
        if any(() in pool.contents.before.get(i, {()}) for pool in group.optimizers for i in group.clips):
            return "clipping may run before any backward"
        return ""

    def _all_of_one(self, group: Group) -> bool:
        """Whether all reads by name are of gradients of the one backward of the group."""
        pools = [pool for pool in self.pools if pool.manual is group.manual]
        return all(pool.used(read) == set(group.sites) for pool in pools for read in pool.steps)

    def _is_plain_step(self, index: int) -> bool:
        event = self.events[index]
        return event.bare and isinstance(event.node, ast.Call) and not event.node.args and not event.node.keywords

    def _history(self, group: Group, pool: Pool) -> frozenset[tuple[int, frozenset[Content]]]:
        return frozenset((site, pool.contents.before.get(site, frozenset())) for site in group.sites)

    def _clip_is_plain(self, index: int) -> bool:
        event = self.events[index]
        assigned = (
            isinstance(event.stmt, ast.Assign) and event.stmt.value is event.node and len(event.stmt.targets) == 1
        )
        return event.bare or assigned and isinstance(event.stmt.targets[0], ast.Name)  # type: ignore[attr-defined]

    def _style(self, group: Group) -> Style:
        found = [
            content for pool in group.pools for step in pool.steps for content in pool.contents.before.get(step, ())
        ]
        return Style.PLAIN if all(len(content) == 1 for content in found) else Style.SUM

    def starts(self, group: Group, site: int) -> bool:
        """Whether no gradients of the group exist before a backward, so that it need not add to them."""
        return group.style is Style.PLAIN or all(
            pool.contents.before.get(site) == frozenset({()}) for pool in group.pools
        )

    def may_be_missing(self, group: Group, step: int) -> bool:
        """Whether a step may find no gradients at all."""
        return any(() in pool.contents.before.get(step, frozenset()) for pool in group.optimizers if step in pool.steps)

    def needs_none(self, group: Group) -> bool:
        """Whether the name of the gradients must hold None where there are none."""
        added = (site for site in group.sites if not self.starts(group, site))
        return any(self.empty_before(group, site) for site in added) or any(
            self.may_be_missing(group, step) for step in group.steps
        )

    def empty_before(self, group: Group, site: int) -> bool:
        """Whether there may be none before a backward, so that the name must hold None."""
        return any(() in pool.contents.before.get(site, frozenset()) for pool in group.pools)


def covers(module: str, holding: Holding) -> bool:
    """Whether all parameters of a holding are among those of the module at a path."""
    return all(root == module or root.startswith(module + ".") for root in holding.roots)


def contains(outer: Holding | None, inner: Holding | None) -> bool:
    """Whether all parameters of one set are surely in the other."""
    if outer is None or inner is None or not outer.whole:
        return False
    return all(any(covers(root, Holding(frozenset({r}), True)) for root in outer.roots) for r in inner.roots)


def overlap(a: frozenset[str], b: frozenset[str]) -> bool:
    return any(x == y or x.startswith(y + ".") or y.startswith(x + ".") for x in a for y in b)


def _assigned(stmt: ast.stmt) -> set[str]:
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target] if isinstance(stmt, ast.AnnAssign) else []
    return {p for t in targets if (p := dotted(t))}
