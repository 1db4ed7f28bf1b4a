"""Decides how each backward of a file is converted, before any edit is written."""

from __future__ import annotations

import ast
from dataclasses import replace
from weakref import WeakKeyDictionary

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training import weights as weights_of
from torch2ms.transforms.training.across import Across, NotAcross, find_across
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.entries import Entries
from torch2ms.transforms.training.events import (
    Act,
    Event,
    find_events,
    flag,
    is_doubtful,
    scopes_with_events,
    uses_gradients,
)
from torch2ms.transforms.training.given import given_to_step
from torch2ms.transforms.training.gradients import Gradients, Group, Style
from torch2ms.transforms.training.harmless import split
from torch2ms.transforms.training.jit import hindrance
from torch2ms.transforms.training.nested import quieted
from torch2ms.transforms.training.origins import Origin, Origins
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.pieces import Forward, Fresh, declarations
from torch2ms.transforms.training.plans import Declined, ScopePlan, Step
from torch2ms.transforms.training.pools import overlap
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.shared import NotShared, Shared, find_made, module_call
from torch2ms.transforms.training.summaries import summarized
from torch2ms.transforms.training.tree import Function, Layout
from torch2ms.transforms.training.weights import Sources, Weights

_PLANS: WeakKeyDictionary[Facts, list[ScopePlan]] = WeakKeyDictionary()


def file_plans(facts: Facts) -> list[ScopePlan]:
    """The plans of all scopes of a file that hold a backward; made once."""
    found = _PLANS.get(facts)
    if found is None:
        found = _PLANS[facts] = []
        if ".backward" in facts.source.text:
            planner = Planner(facts)
            made = (planner.plan(scope) for scope in planner.scopes if not facts.skipped(scope))
            found += [plan for plan in made if plan is not None]
    return found


class Planner:
    """Plans the scopes of one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.owners = Owners(facts)
        self._callees = summarized(facts)
        self._entries = Entries(facts, self._callees)
        self._entry: Env = frozenset()
        # backwards under conditions that share one forward before the condition
        self._flat: set[ast.expr] = set()
        self._quieted = quieted(facts)
        # the scopes that hold events, with their statements and the events
        self.scopes: dict[ast.Module | Function, tuple[Layout, list[Event]]] = {}
        for scope in scopes_with_events(facts):
            layout = Layout(scope)
            self.scopes[scope] = (layout, find_events(facts, layout))
        self._policy = self._entry_policy()
        self._sources = Sources(facts, self._callees)

    def _entry_policy(self) -> tuple[bool, bool]:
        """Whether functions begin without gradients, and whether those that they leave must be kept in the slots.

        A function that steps before it zeroes uses what others left; where no function leaves anything, there is nothing.
        """
        found = [
            Gradients(self.facts, layout, events, self.owners)
            for scope, (layout, events) in self.scopes.items()
            if events and given_to_step(self.facts, scope) is None
        ]
        leaving = any(one.leaves for one in found)
        return not leaving, leaving and any(one.needs_entry for one in found)

    def plan(self, scope: ast.Module | Function) -> ScopePlan | None:
        """The plan of a scope; None where it has no backward."""
        layout, events = self.scopes[scope]
        if not any(event.act is Act.BACKWARD for event in events):
            return None
        entry = self._entries.of(scope)
        carriers = Carriers(self.facts, self._callees)
        carriers.run(layout.body, entry)
        events = [event for event in events if not self._is_other(event, carriers)]
        if not any(event.act is Act.BACKWARD for event in events):
            return None
        given = given_to_step(self.facts, scope)
        if given is not None:
            return ScopePlan(self.facts, layout, events, None, Fresh(self.facts.names.bound), given=given)
        self._entry = entry
        gradients = Gradients(self.facts, layout, events, self.owners, *self._policy)
        regions = Regions(self.facts, layout, carriers, events, gradients.idle)
        plan = ScopePlan(self.facts, layout, events, gradients, Fresh(self.facts.names.bound))
        for group in plan.gradients.groups:
            self._group(plan, regions, group)
        plan.steps.sort(key=lambda step: step.index)
        self._separate(plan, regions)
        return plan

    def _is_other(self, event: Event, carriers: Carriers) -> bool:
        """Whether a backward in doubt is not a tensor's: nothing says that its object was computed from weights."""
        if event.act is not Act.BACKWARD or not is_doubtful(self.facts, event.node):
            return False
        return not carriers.carries(event.owner, carriers.before[event.stmt])

    def _group(self, plan: ScopePlan, regions: Regions, group: Group) -> None:
        """Plans the steps of a group: all of them or none."""
        steps = []
        for index in group.sites:
            event = plan.events[index]
            try:
                steps.append(self._step(plan, regions, group, index))
            except Declined as declined:
                plan.declined += [
                    (
                        plan.events[i],
                        str(declined) if i == index else "another backward of the same step cannot be converted",
                    )
                    for i in group.sites
                ]
                return
            assert event is steps[-1].event
        plan.steps += steps

    def _separate(self, plan: ScopePlan, regions: Regions) -> None:
        """Two backwards whose forwards share statements: those make the values once, or take no form."""
        for step in plan.steps:
            made = {s for shared in step.pulls for stmt in shared.region.stmts for s in ast.walk(stmt)}
            if any(s in made for other in plan.steps for s in other.forward.region.stmts):
                self._drop(plan, step.group, "it hangs on a value inside the forward of another backward")
                return self._separate(plan, regions)
        for step in plan.steps:
            own = {s for stmt in step.forward.region.stmts for s in ast.walk(stmt)}
            for other in plan.steps:
                if other is step or not any(s in own for s in other.forward.region.stmts):
                    continue
                groups = [step.group, *([other.group] if other.group is not step.group else [])]
                seen = {step.event.node, other.event.node} <= self._flat
                self._flat |= {step.event.node, other.event.node}
                for group in groups:
                    self._drop(plan, group, "its forward is also that of another backward" if seen else None)
                    if not seen:
                        self._group(plan, regions, group)
                plan.steps.sort(key=lambda one: one.index)
                return self._separate(plan, regions)

    @staticmethod
    def _drop(plan: ScopePlan, group: Group, reason: str | None) -> None:
        plan.declined += [(step.event, reason) for step in plan.of_group(group) if reason is not None]
        plan.steps = [step for step in plan.steps if step.group is not group]

    def _step(self, plan: ScopePlan, regions: Regions, group: Group, index: int) -> Step:
        event = plan.events[index]
        self._check_call(event)
        region = regions.find(event, event.node not in self._flat)
        across = self._across(plan, regions, region)
        handed = region.shared if across is not None else frozenset()
        pulls = self._pulls(plan, regions, region, group, handed)
        calls = across.calls[0].stmts if across is not None else []
        weights = self._weights(plan, group, region, self._leaves(plan, regions, region), calls)
        self._check_pulls(plan, group, pulls, weights)
        forward = self._forward(plan, regions, region)
        if pulls:
            names = tuple(shared.name for shared in pulls)
            forward = forward.with_parameters((*names, *(n for n in forward.parameters if n not in names)))
        if self.facts.options.jit:
            plan.uncompiled[event.node] = reason = (
                "its input is differentiated" if pulls else hindrance(self.facts, forward)
            )
            forward = replace(forward, jit=not reason)
        own = not pulls or self._reaches(group, region.stmts, event.owner)
        first = plan.gradients.starts(group, index)
        return Step(index, event, group, forward, weights, first, plan.layout.loop(region.close), across, pulls, own)

    def _reaches(self, group: Group, stmts: list[ast.stmt], loss: ast.expr | None, leaves: Env = frozenset()) -> bool:
        """Whether statements may use weights that the optimizers of a group hold."""
        used = self._sources.roots(stmts, loss)
        held = [pool.holding for pool in group.pools]
        if used is None or not held:
            return True
        paths = frozenset(self.owners.path(node) or where for where, node in used.items())
        return any(h is None or overlap(h.roots, paths | leaves) for h in held)

    def _across(self, plan: ScopePlan, regions: Regions, region: Region) -> Across | None:
        """The forward that callers hand over, where the loss hangs on attributes that another method set."""
        origins = Origins(self.facts, plan.layout, regions.carriers, self._entry)
        needs = frozenset(w for w in region.shared if origins.of(region, w) is Origin.OUTSIDE)
        if not needs:
            return None
        if not all(where.startswith("self.") for where in needs):
            raise Declined(f"the loss hangs on {min(needs)}, computed in another function")
        try:
            return find_across(self.facts, self._entries, plan.layout.scope, needs)
        except NotAcross as reason:
            raise Declined(str(reason)) from None

    def _pulls(
        self, plan: ScopePlan, regions: Regions, region: Region, group: Group, handed: Env
    ) -> tuple[Shared, ...]:
        """The values from before the region through which its loss reaches the weights of the group."""
        origins = Origins(self.facts, plan.layout, regions.carriers, self._entry)
        found = {where: origins.of(region, where) for where in region.shared}
        leaves = frozenset(where for where, origin in found.items() if origin is Origin.LEAF)
        held = [pool.holding for pool in group.pools]
        if (
            not handed
            and held
            and all(h is not None for h in held)
            and not self._reaches(group, region.stmts, region.site.owner, leaves)
        ):
            if not any(origin is Origin.HERE for origin in found.values()):
                raise Declined("the loss reaches no parameter of the optimizer in this function")
        own = Carriers(self.facts, self._callees)
        begin = leaves | handed | {where for where, origin in found.items() if origin is Origin.HERE}
        if not own.carries(region.site.owner, own.run(region.stmts, begin)):
            raise Declined("the loss is not computed in this function")
        retained = flag(region.site.node, "retain_graph", 1)  # type: ignore[arg-type]
        pulls = []
        for where, origin in sorted(found.items()):
            if origin is Origin.OUTSIDE and where in handed:
                continue
            if origin is Origin.OUTSIDE or origin is Origin.EARLIER and retained:
                raise Declined(f"the loss hangs on {where}, computed before the step")
            if origin is Origin.HERE:
                shared = self._shared(plan, regions, origins, region, where)
                if self._reaches(group, shared.region.stmts, None):
                    pulls.append(shared)
        return tuple(pulls)

    def _check_call(self, event: Event) -> None:
        call = event.node
        assert isinstance(call, ast.Call)
        if not event.bare:
            raise Declined("backward() is used inside an expression")
        if self.facts.names.of(call.func) == "torch.autograd.backward":
            raise Declined("torch.autograd.backward is called on several losses")
        if flag(call, "create_graph", 2):
            raise Declined("backward(create_graph=True) makes gradients that are differentiated again through `.grad`")
        if flag(call, "inputs", 3):
            raise Declined("backward(inputs=...) is not converted")

    @staticmethod
    def _check_pulls(plan: ScopePlan, group: Group, pulls: tuple[Shared, ...], weights: Weights) -> None:
        """Another optimizer may pull the same value only for the same weights."""
        stmts = {shared.stmt for shared in pulls}
        for other in plan.steps:
            if other.group is group or not any(shared.stmt in stmts for shared in other.pulls):
                continue
            same = other.weights.template == weights.template
            dumps = [[ast.dump(part) for part in one.parts] for one in (other.weights, weights)]
            if not same or dumps[0] != dumps[1]:
                raise Declined("two optimizers need the gradient of one value")

    def _shared(self, plan: ScopePlan, regions: Regions, origins: Origins, region: Region, where: str) -> Shared:
        """How a value from before a region is made once, with its pullback."""
        try:
            made = find_made(plan.layout, regions, origins, region, where)
        except NotShared as reason:
            raise Declined(str(reason)) from None
        sure = Carriers(self.facts, self._callees, sure=True)
        if where not in sure.run(made.stmts, frozenset()):
            raise Declined(f"the loss hangs on {where}, which an unknown function made")
        return Shared(where, made, module_call(self.facts, made), self._forward(plan, regions, made))

    def _leaves(self, plan: ScopePlan, regions: Regions, region: Region) -> Env:
        origins = Origins(self.facts, plan.layout, regions.carriers, self._entry)
        return frozenset(where for where in region.shared if origins.of(region, where) is Origin.LEAF)

    def _weights(self, plan: ScopePlan, group: Group, region: Region, leaves: Env, handed: list[ast.stmt]) -> Weights:
        if group.style is not Style.SLOTS:
            found = weights_of.of_group(self.owners, group, plan.events)
            if found is not None:
                return found
            group.style, group.reason = Style.SLOTS, "the clipped parameters are not provably those of the optimizer"
        found = weights_of.of_slots(self.owners, group, plan.events) or self._sources.of_region(region, leaves, handed)
        if found is None:
            raise Declined("the parameters that the loss reaches cannot be named here")
        self._check_bound(plan, region, found)
        return found

    @staticmethod
    def _check_bound(plan: ScopePlan, region: Region, weights: Weights) -> None:
        """The names of the weights must stand for them at the step: not the variable of a loop elsewhere."""
        names = {n.id for part in weights.parts for n in ast.walk(part) if isinstance(n, ast.Name)}
        around = set(plan.layout.around(region.close))
        for stmt in plan.layout.places:
            if isinstance(stmt, (ast.For, ast.AsyncFor)) and stmt not in around:
                if names & {n.id for n in ast.walk(stmt.target) if isinstance(n, ast.Name)}:
                    raise Declined("the weights are known only as the variable of a loop elsewhere")

    @staticmethod
    def _only_zeroes(plan: ScopePlan, stmt: ast.stmt) -> bool:
        """`if cond: optimizer.zero_grad()`: it stays where it stands."""
        idle = plan.gradients.idle
        zeros = {event.stmt for i, event in enumerate(plan.events) if event.act is Act.ZERO or i in idle}
        inner = [s for s in plan.layout.places if stmt in plan.layout.around(s)]
        return isinstance(stmt, ast.If) and bool(inner) and all(s in zeros or isinstance(s, ast.If) for s in inner)

    @staticmethod
    def _check_zeroes(plan: ScopePlan, moved: list[ast.stmt]) -> None:
        held = {s for stmt in moved for s in ast.walk(stmt)}
        if any(event.act is Act.ZERO and event.stmt in held for event in plan.events):
            raise Declined("zero_grad stands under a condition between forward and backward")

    def _forward(self, plan: ScopePlan, regions: Regions, region: Region) -> Forward:
        idle = {plan.events[i].stmt for i in plan.gradients.idle}
        dropped = idle | {event.stmt for event in plan.events if event.act is Act.ZERO and event.bare}
        dropped |= {event.stmt for event in region.site.more} | self._quieted
        dropped |= {stmt for stmt in region.stmts if self._only_zeroes(plan, stmt)}
        kept, later = split(self.facts, regions.flow, region, dropped)
        self._check_zeroes(plan, kept + later)
        hidden = uses_gradients(self.facts, kept)
        if hidden is not None:
            raise Declined(f"{ast.unparse(hidden.func)}() uses or drops gradients between forward and backward")
        jumps = regions.flow.jumps(kept) if kept else None
        if jumps:
            raise Declined("return, break, continue or yield stands between forward and backward")
        later_all = [*later, *[s for s in region.stmts if s in dropped]]
        surface = regions.surface(region, kept, later_all)
        return Forward(
            region,
            kept,
            later,
            surface.parameters,
            surface.aux,
            declarations(self.facts, region, surface),
            surface.inputs,
        )
