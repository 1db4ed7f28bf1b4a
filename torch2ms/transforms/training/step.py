"""zero_grad / backward / step becomes value_and_grad: MindSpore differentiates functions, not recorded operations."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Def, Edit, Insert, Item, Keep, New, Replace, Splice
from torch2ms.source import Span
from torch2ms.transforms.training.closure import close_edits, consumer_edits
from torch2ms.transforms.training.events import Act, is_doubtful
from torch2ms.transforms.training.given import closure_claim
from torch2ms.transforms.training.gradients import Group, Style
from torch2ms.transforms.training.lifted import can_lift, lifted_edits
from torch2ms.transforms.training.naming import function_name, gradient_name
from torch2ms.transforms.training.nested import is_grad, nested_claims
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.planner import file_plans
from torch2ms.transforms.training.plans import ScopePlan, Step
from torch2ms.transforms.training.reach import differentiated
from torch2ms.transforms.training.slots import slot_claims
from torch2ms.transforms.training.tape import no_tape, refused, tape_claims
from torch2ms.transforms.training.tree import LOOPS
from torch2ms.transforms.training.vjp import Producers


def vanished(facts: Facts) -> set[ast.stmt]:
    """The statements that the transform takes away without a replacement."""
    edits = [edit for claim in facts.once(_claimed) if isinstance(claim, Claim) for edit in claim.edits]
    kept = {item.stmt for edit in edits if isinstance(edit, (Splice, Insert)) for item in _inner(edit.items)}
    return {e.stmt for e in edits if isinstance(e, Splice) and not e.items and e.stmt not in kept}


def _inner(items: tuple[Item, ...]) -> Iterator[Keep]:
    for item in items:
        if isinstance(item, Keep):
            yield item
        elif isinstance(item, Def):
            yield from _inner(item.body)


class TrainStep:
    """Finds the training steps of a file and writes them as value_and_grad steps."""

    name = "training"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each group of backwards, each autograd.grad, and each statement on `.grad`."""
        return iter(facts.once(_claimed))

    def _find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        taken: set[ast.stmt] = set()
        for claim in self._steps(facts):
            taken |= {node for node in claim.nodes if isinstance(node, ast.stmt)}
            taken |= {facts.statement(node) for node in claim.nodes}
            yield claim
        yield from slot_claims(facts, taken)
        yield from self._left_alone(facts, taken)
        declined = [one for plan in file_plans(facts) for one in plan.declined]
        yield from (refused(facts, event, reason) for plan in file_plans(facts) for event, reason in plan.refused)
        left = []
        for found in self._nested(facts):
            if isinstance(found, Claim):
                yield found
            else:
                left.append(found)
        if facts.options.tape:
            yield from tape_claims(facts, declined, left)
        else:
            yield from (refused(facts, event, reason) for event, reason in declined)
            yield from (no_tape(call) for call in left)

    def _steps(self, facts: Facts) -> Iterator[Claim]:
        for plan in file_plans(facts):
            if plan.given is not None:
                yield _given(plan)
                continue
            for group in plan.gradients.groups:
                if steps := plan.of_group(group):
                    yield from _claims(plan, group, steps)

    @staticmethod
    def _left_alone(facts: Facts, taken: set[ast.stmt]) -> Iterator[Claim]:
        """`layer.backward(x, g)` of an unknown object: no rule shall take it for a tensor's."""
        told = {id(event.node) for plan in file_plans(facts) for event, _ in (*plan.declined, *plan.refused)}
        for node in facts.names.parents if ".backward" in facts.source.text else ():
            if is_doubtful(facts, node) and facts.statement(node) not in taken and id(node) not in told:
                yield Claim("training", (node,), (), provenance=None)

    def _nested(self, facts: Facts) -> Iterator[Claim | ast.Call]:
        calls = [node for node in facts.names.parents if is_grad(facts, node) and not facts.skipped(node)]
        if calls:
            yield from nested_claims(facts, calls, differentiated(facts).statement)  # type: ignore[arg-type]


def _claimed(facts: Facts) -> list[Claim | Diagnostic]:
    return list(TrainStep()._find(facts))


def _given(plan: ScopePlan) -> Claim:
    assert plan.given is not None
    found = closure_claim(plan.facts, plan.layout, plan.events, plan.given)
    if isinstance(found, Claim):
        return found
    site = next(event for event in plan.events if event.act is Act.BACKWARD)
    return refused(plan.facts, site, found)


def _claims(plan: ScopePlan, group: Group, steps: list[Step]) -> Iterator[Claim]:
    """The claim of a group's edits, on its first backward; the others are claims of their own, without edits."""
    lifts = len(steps) == 1 and can_lift(plan, steps[0])
    edits = _lifted(plan, steps[0]) if lifts else _closed(plan, group, steps)
    slots = group.style is Style.SLOTS
    how = f"gradients go into `.grad`: {group.reason}" if slots else f"gradients are {group.style.value}"
    moved = [stmt for step in steps for stmt in (*step.forward.kept, *step.forward.later)]
    edits += [Splice(plan.events[i].stmt, ()) for i in plan.gradients.idle]
    edits += [edit for step in steps for made in (step.forward, *_producing(step)) for edit in _unbound(plan, made)]
    kept = {item.stmt for e in edits if isinstance(e, (Splice, Insert)) for item in _inner(e.items)}
    held: list[ast.AST] = [e.stmt for e in edits if isinstance(e, Splice) and (e.items or e.stmt not in kept)]
    held += [edit.node for edit in edits if isinstance(edit, Replace)]
    edits += [Splice(stmt, ()) for stmt in moved]
    for number, step in enumerate(steps):
        form = "lifted" if lifts else "vjp" if step.pulls else "closure"
        for event in (*step.event.more, step.event):
            note = Diagnostic("T2M205", Span.of(event.node), f"training step in {form} form; {how}")
            notes = [note]
            if reason := plan.uncompiled.get(step.event.node):
                notes.append(
                    Diagnostic("T2M206", Span.of(event.node), f"the forward function is not compiled: {reason}")
                )
            first = number == 0 and event is (*step.event.more, step.event)[0]
            yield Claim("training", tuple(held) if first else (), tuple(edits) if first else (), tuple(notes), form)


def _producing(step: Step) -> list[Forward]:
    """The functions that make the values through which a step pulls."""
    return [shared.forward for shared in step.pulls if shared.call is None]


def _unbound(plan: ScopePlan, forward: Forward) -> list[Edit]:
    """`x = None` for names that only the new function binds: `nonlocal` needs a binding outside."""
    outer = [line for line in forward.declarations if line.startswith("nonlocal ")]
    names = [name for line in outer for name in line.removeprefix("nonlocal ").split(", ")]
    moved = {node for stmt in forward.kept for node in ast.walk(stmt)}
    bindings = plan.facts.names.table.scope_of[plan.layout.scope].bindings
    lost = [name for name in names if name in bindings and all(node in moved for node in bindings[name])]
    close = forward.region.close
    loops = [owner for owner in plan.layout.around(close) if isinstance(owner, LOOPS)]
    return [Insert(loops[-1] if loops else close, "before", (New(f"{name} = None"),)) for name in lost]


def _lifted(plan: ScopePlan, step: Step) -> list[Edit]:
    fresh = plan.fresh
    names = (function_name(plan, step), fresh.name("grad_fn"), fresh.name("train_step"))
    variable = gradient_name(plan, step.group)
    weights, parts = step.weights.template, step.weights.parts
    before: list[Edit] = []
    if not step.weights.own and not step.weights.literal:
        assert step.loop is not None
        weights, parts = fresh.name("weights"), ()
        before.append(Insert(step.loop, "before", (New(f"{weights} = {step.weights.template}", step.weights.parts),)))
    return before + lifted_edits(plan, step, names, variable, weights, parts)


def _closed(plan: ScopePlan, group: Group, steps: list[Step]) -> list[Edit]:
    variable = gradient_name(plan, group)
    if group.style is Style.SLOTS:
        # what each backward reaches may differ; the slots add it up
        edits = [edit for step in steps for edit in _one_set(plan, [step], variable)]
    else:
        edits = [*_one_set(plan, steps, variable), *_beginning(plan, group, steps, variable)]
    for step in steps:
        if step.across is not None:
            loss = None if step.forward.region.stmts else step.forward.loss
            edits = step.across.edits(step.handed, loss, edits, [*step.forward.kept, *step.forward.later])
    return edits


def _one_set(plan: ScopePlan, steps: list[Step], variable: str) -> list[Edit]:
    """The edits of steps that ask for the gradients of one set of weights."""
    group = steps[0].group
    weights, parts = steps[0].weights.template, steps[0].weights.parts
    named = None if steps[0].weights.own and group.style is not Style.SLOTS else weights
    edits: list[Edit] = []
    if not steps[0].weights.own and not steps[0].weights.literal:
        named = plan.fresh.name("weights")
        edits.append(Insert(_home(plan, steps), "before", (New(f"{named} = {weights}", parts),)))
        weights, parts = named, ()
    producers = Producers(plan, steps, weights, parts)
    edits += producers.edits()
    for step in steps:
        step.handed = plan.fresh.name("forward_fn") if step.across is not None else ""
        edits += close_edits(plan, step, function_name(plan, step), variable, weights, parts, producers)
    if group.style is not Style.SLOTS:
        edits += consumer_edits(plan, steps, variable, named, (weights, parts))
    return edits


def _home(plan: ScopePlan, steps: list[Step]) -> ast.stmt:
    """The outermost loop before which the weights can be listed; else the statement of the backward, or what a vjp makes for it."""
    flow = plan.facts.flow(plan.layout.scope)
    close = steps[0].forward.region.close
    home = close
    for owner in plan.layout.around(close):
        if not isinstance(owner, LOOPS):
            continue
        roots = {name for part in steps[0].weights.parts for name in flow.reads([part])}
        if roots & flow.writes([owner]) or any(
            not flow.definitely_assigned(name, [owner]) for name in roots & flow.locals
        ):
            break
        home = owner
    made = [shared.stmt for step in steps for shared in step.pulls if shared.stmt not in plan.produced]
    return min([home, *made], key=lambda stmt: stmt.lineno)


def _beginning(plan: ScopePlan, group: Group, steps: list[Step], variable: str) -> list[Edit]:
    """`grads = None` before the loop where a sum begins without a zero_grad in sight."""
    if not plan.gradients.needs_none(group):
        return []
    flow = plan.facts.flow(plan.layout.scope)
    first = steps[0]
    zeros = [plan.events[i].stmt for i in group.zeros]
    uses = [plan.events[i].stmt for i in (*group.steps, *group.clips)]
    begun = [*zeros, first.event.stmt]
    if any(flow.dominates(zero, first.event.stmt) for zero in zeros) and all(
        any(flow.dominates(one, use) for one in begun) for use in uses
    ):
        return []
    loops = [owner for owner in plan.layout.around(first.event.stmt) if isinstance(owner, LOOPS)]
    home = loops[-1] if loops else first.forward.region.close
    return [Insert(home, "before", (New(f"{variable} = None"),))]
