"""Decides how each backward of a file is converted, before any edit is written."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.training.carriers import Carriers
from torch2ms.transforms.training.entries import Entries
from torch2ms.transforms.training.events import Act, Event, find_events, is_doubtful, scopes_with_events
from torch2ms.transforms.training.given import given_to_step
from torch2ms.transforms.training.gradients import Gradients, Group
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.pieces import Fresh
from torch2ms.transforms.training.plans import Declined, Impossible, ScopePlan
from torch2ms.transforms.training.region import Regions
from torch2ms.transforms.training.stepper import Stepper
from torch2ms.transforms.training.summaries import summarized
from torch2ms.transforms.training.tree import Function, Layout


def file_plans(facts: Facts) -> list[ScopePlan]:
    """The plans of all scopes of a file that hold a backward; made once."""
    return facts.once(_plans)


def _plans(facts: Facts) -> list[ScopePlan]:
    if ".backward" not in facts.source.text:
        return []
    planner = Planner(facts)
    made = (planner.plan(scope) for scope in planner.scopes if not facts.skipped(scope))
    return [plan for plan in made if plan is not None]


class Planner:
    """Plans the scopes of one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.owners = Owners(facts)
        self._callees = summarized(facts)
        self._entries = Entries(facts, self._callees)
        # the scopes that hold events, with their statements and the events
        self.scopes: dict[ast.Module | Function, tuple[Layout, list[Event]]] = {}
        for scope in scopes_with_events(facts):
            layout = Layout(scope)
            self.scopes[scope] = (layout, find_events(facts, layout))
        self._policy = self._entry_policy()

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
        gradients = Gradients(self.facts, layout, events, self.owners, *self._policy)
        regions = Regions(self.facts, layout, carriers, events, gradients.idle)
        plan = ScopePlan(self.facts, layout, events, gradients, Fresh(self.facts.names.bound))
        stepper = Stepper(plan, regions, self.owners, self._callees, self._entries, entry)
        for group in plan.gradients.groups:
            self._group(stepper, group)
        plan.steps.sort(key=lambda step: step.index)
        self._separate(stepper)
        return plan

    def _is_other(self, event: Event, carriers: Carriers) -> bool:
        """Whether a backward in doubt is not a tensor's: nothing says that its object was computed from weights."""
        if event.act is not Act.BACKWARD or not is_doubtful(self.facts, event.node):
            return False
        return not carriers.carries(event.owner, carriers.before[event.stmt])

    @staticmethod
    def _group(stepper: Stepper, group: Group) -> None:
        """Plans the steps of a group: all of them or none."""
        plan = stepper.plan
        steps = []
        for index in group.sites:
            try:
                steps.append(stepper.step(group, index))
            except Declined as declined:
                rest = "another backward of the same step cannot be converted"
                reasons = [(plan.events[i], str(declined) if i == index else rest) for i in group.sites]
                if isinstance(declined, Impossible):
                    plan.refused += reasons
                else:
                    plan.declined += reasons
                return
        plan.steps += steps

    def _separate(self, stepper: Stepper) -> None:
        """Two backwards whose forwards share statements: those make the values once, or take no form."""
        plan = stepper.plan
        for step in plan.steps:
            made = {s for shared in step.pulls for stmt in shared.region.stmts for s in ast.walk(stmt)}
            if any(s in made for other in plan.steps for s in other.forward.region.stmts):
                self._drop(plan, step.group, "it hangs on a value inside the forward of another backward")
                return self._separate(stepper)
        produced = [(step, shared) for step in plan.steps for shared in step.pulls]
        for step, shared in produced:
            mine = set(shared.region.stmts)
            if any(one.stmt is not shared.stmt and mine & set(one.region.stmts) for _, one in produced):
                self._drop(plan, step.group, "it hangs on a value on which another shared value hangs")
                return self._separate(stepper)
        for step in plan.steps:
            if stepper.needed_by_tape(step):
                self._drop(plan, step.group, "a backward on the gradient tape needs its graph")
                return self._separate(stepper)
        for step in plan.steps:
            own = {s for stmt in step.forward.region.stmts for s in ast.walk(stmt)}
            for other in plan.steps:
                if other is step or not any(s in own for s in other.forward.region.stmts):
                    continue
                groups = [step.group, *([other.group] if other.group is not step.group else [])]
                seen = {step.event.node, other.event.node} <= stepper.flat
                stepper.flat |= {step.event.node, other.event.node}
                for group in groups:
                    self._drop(plan, group, "its forward is also that of another backward" if seen else None)
                    if not seen:
                        self._group(stepper, group)
                plan.steps.sort(key=lambda one: one.index)
                return self._separate(stepper)

    @staticmethod
    def _drop(plan: ScopePlan, group: Group, reason: str | None) -> None:
        plan.declined += [(step.event, reason) for step in plan.of_group(group) if reason is not None]
        plan.steps = [step for step in plan.steps if step.group is not group]
