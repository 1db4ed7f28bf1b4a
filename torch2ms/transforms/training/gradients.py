"""Which backwards make up the gradients of a step, and so how they are kept: in a local name or in `.grad` slots."""

from __future__ import annotations

import ast
import enum
from dataclasses import dataclass, field, replace

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.callees import Callees
from torch2ms.transforms.training.contents import UNKNOWN, Content
from torch2ms.transforms.training.events import Act, Event, indices
from torch2ms.transforms.training.looks import looked_at, stepped_elsewhere
from torch2ms.transforms.training.manual import Manual, find_manuals
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.pools import Pool, Pools, contains, overlap
from torch2ms.transforms.training.tree import LOOPS, Layout


class Style(enum.Enum):
    """How gradients travel from backward to step."""

    PLAIN = "plain"  # each step uses those of one backward
    SUM = "sum"  # a local name adds them up
    SLOTS = "slots"  # `.grad` of the parameters holds them, as in PyTorch


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

    def __init__(
        self, facts: Facts, layout: Layout, events: list[Event], owners: Owners, clean: bool = False, kept: bool = False
    ) -> None:
        """`clean`: no gradients exist when the function begins; `kept`: those that it leaves behind are used elsewhere."""
        self.facts = facts
        self.layout = layout
        self.events = events
        self.owners = owners
        self._kept = kept
        self._callees = Callees(facts)
        self.manuals = find_manuals(facts, layout, events)
        self._loose = {i for i in indices(self.events, Act.READ) if not any(i in m.reads for m in self.manuals)}
        self._all = Pools(facts, layout, events, owners, self.manuals, clean)
        self.pools = self._all.all()
        # clippings where no gradients exist yet: they do nothing
        self.idle = {i for i in indices(self.events, Act.CLIP) if self.pools and all(self._empty(p, i) for p in self.pools)}
        self.groups = self._groups()
        for group in self.groups:
            self._attach(group)
            group.reason = self._hindrance(group)
            group.style = Style.SLOTS if group.reason else self._style(group)
        self._together()

    def _together(self) -> None:
        """Where gradients of one backward must be in `.grad` for all to see, those of the others must be there, too."""
        held = {id(group.manual) for group in self.groups if group.manual is not None}
        alone = any(id(manual) not in held for manual in self.manuals)
        apart = [group for group in self.groups if group.style is Style.SLOTS and not group.pools]
        reason = "`.grad` is read where it may hold no gradient" if alone else apart[0].reason if apart else ""
        for group in self.groups if reason else ():
            if group.style is not Style.SLOTS:
                group.style, group.reason = Style.SLOTS, reason

    def _empty(self, pool: Pool, index: int) -> bool:
        return self.events[index].bare and pool.contents.before.get(index) == frozenset({()})

    @property
    def is_read(self) -> bool:
        """Whether `.grad` is read here in ways that no form follows, or what is left in it by another function."""
        return bool(self._loose) or self._kept

    @property
    def needs_entry(self) -> bool:
        """Whether gradients from before the function may be used in it."""
        if self._loose and not indices(self.events, Act.BACKWARD):
            return True
        return any(
            UNKNOWN in content
            for pool in self.pools
            for step in pool.steps
            for content in pool.contents.before.get(step, ())
        )

    @property
    def leaves(self) -> bool:
        """Whether the function may end with gradients of its own."""
        if not self.pools:
            return bool(indices(self.events, Act.BACKWARD))
        return any(index >= 0 for pool in self.pools for content in pool.contents.at_exit for index in content)

    def _groups(self) -> list[Group]:
        sites = indices(self.events, Act.BACKWARD)
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
        return named or self._all.zeroes(event, pool.holding)

    def _concerns(self, event: Event, group: Group) -> bool:
        clipped = self.owners.parameters(event.owner)
        held = [pool.holding for pool in group.pools]
        return clipped is None or any(h is None or overlap(h.roots, clipped.roots) for h in held)

    def _hindrance(self, group: Group) -> str:
        """Why the gradients of a group cannot live in a local name; empty where they can."""
        if not group.pools:
            return "the step is not in the same function"
        if self._kept and any(i in set(group.sites) for p in group.pools for c in p.contents.at_exit for i in c):
            return "another function may use the gradients that are left"
        if self._loose:
            return "`.grad` is read"
        if len([pool for pool in group.pools if pool.manual is not None]) > 1:
            return "`.grad` of several sets of parameters is read"
        if group.manual is not None and group.manual.names:
            if group.clips or group.optimizers or len(group.sites) > 1 or not self._all_of_one(group):
                return "gradients are read by name in several places"
        if group.manual is not None and any(() in c for c in self._before_reads(group.manual)):
            return "gradients may be read before any backward"
        for pool in group.pools:
            for step in pool.steps:
                if pool.owner is not None and not self._is_plain_step(step):
                    return f"{ast.unparse(self.events[step].node)} is no plain statement"
                found = pool.contents.before.get(step, frozenset())
                if any(UNKNOWN in content for content in found):
                    return "gradients from outside the function may reach the step"
        uses = [step for pool in group.pools for step in pool.steps]
        zeros = indices(self.events, Act.ZERO)
        if any(self._all.doubtful(i, pool, group.sites) for i in zeros for pool in group.pools):
            return "zero_grad may clear a part of the gradients"
        if any(self.events[i].fills and pool.used(i) & set(group.sites) for i in zeros for pool in group.optimizers):
            return "the zeroing leaves zeros, which an optimizer uses"
        for index in group.clips:
            found = frozenset().union(*(pool.contents.before.get(index, frozenset()) for pool in group.pools))
            if not {i for content in found for i in content if i >= 0} <= set(group.sites):
                return "the gradients of another backward are clipped with them"
            if any(UNKNOWN in content for content in found):
                return "gradients from outside the function may be clipped"
        if helper := stepped_elsewhere(self.facts, self._callees, self.layout, self.events):
            return f"{helper} uses or drops gradients"
        if self._clips_more(group):
            return "parameters are clipped whose gradients zero_grad may leave"
        seen = looked_at(self.facts, self._callees, self.layout, self.events, group.sites, uses)
        if seen:
            return f"{seen} may look at the gradients"
        if any(not self.events[i].bare for i in group.zeros):
            return "zero_grad is used inside an expression"
        if len({self._history(group, pool) for pool in group.pools}) > 1:
            return "two optimizers use different sums of the same gradients"
        if any(not self._clip_is_plain(i) for i in group.clips):
            return "the gradients are clipped inside an expression"
        if any(() in pool.contents.before.get(i, {()}) for pool in group.pools for i in group.clips):
            return "clipping may run before any backward"
        return ""

    def _before_reads(self, manual: Manual) -> list[frozenset[Content]]:
        """What the gradients are made of at each read of an update by hand."""
        pools = [pool for pool in self.pools if pool.manual is manual]
        return [pool.contents.before.get(read, frozenset()) for pool in pools for read in manual.reads]

    def _clips_more(self, group: Group) -> bool:
        """Whether a clipped set has parameters outside the optimizers that a zeroing may not clear with the rest."""
        held = [pool.holding for pool in group.optimizers]
        for clipped in (self.owners.parameters(self.events[i].owner) for i in group.clips):
            if clipped is None or all(any(contains(h, root) for h in held) for root in clipped.each()):
                continue
            used = {i for i in indices(self.events, Act.ZERO) for pool in group.pools if pool.used(i) & set(group.sites)}
            if any(self._all.partial(self.events[i], clipped) for i in used):
                return True
        return False

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
        style = self._adds_up(group)
        manual = group.manual
        if style is Style.SUM and manual is not None and (manual.zeros or manual.names):
            group.reason = "gradients that are read by name, or dropped by the update itself, add up"
            return Style.SLOTS
        return style

    @staticmethod
    def _adds_up(group: Group) -> Style:
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
