"""zero_grad / backward / step becomes value_and_grad: MindSpore differentiates functions, not recorded operations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Insert, New, Replace, Splice
from torch2ms.source import Span
from torch2ms.transforms.training.closure import close_edits, consumer_edits
from torch2ms.transforms.training.events import Act
from torch2ms.transforms.training.given import closure_claim
from torch2ms.transforms.training.gradients import Group, Style
from torch2ms.transforms.training.lifted import can_lift, lifted_edits
from torch2ms.transforms.training.nested import is_grad, nested_claims
from torch2ms.transforms.training.plans import ScopePlan, Step, file_plans
from torch2ms.transforms.training.reach import Differentiated
from torch2ms.transforms.training.tape import no_tape, refused, tape_claims
from torch2ms.transforms.training.tree import LOOPS
from torch2ms.transforms.training.vjp import Producers


class TrainStep:
    """Finds the training steps of a file and writes them as value_and_grad steps."""

    name = "training"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each group of backwards; a diagnostic for each backward that takes no form."""
        for plan in file_plans(facts):
            if plan.given is not None:
                yield _given(plan)
                continue
            for group in plan.gradients.groups:
                if steps := plan.of_group(group):
                    yield _claim(plan, group, steps)
        declined = [one for plan in file_plans(facts) for one in plan.declined]
        calls = [node for node in ast.walk(facts.tree) if is_grad(facts, node) and not facts.skipped(node)]
        left = []
        for found in nested_claims(facts, calls, Differentiated(facts)):  # type: ignore[arg-type]
            if isinstance(found, Claim):
                yield found
            else:
                left.append(found)
        if facts.options.tape:
            yield from tape_claims(facts, declined, left)
        else:
            yield from (refused(facts, event, reason) for event, reason in declined)
            yield from (no_tape(call) for call in left)


def _given(plan: ScopePlan) -> Claim:
    assert plan.given is not None
    found = closure_claim(plan.facts, plan.layout, plan.events, plan.given)
    if isinstance(found, Claim):
        return found
    site = next(event for event in plan.events if event.act is Act.BACKWARD)
    return refused(plan.facts, site, found)


def _claim(plan: ScopePlan, group: Group, steps: list[Step]) -> Claim:
    lifts = len(steps) == 1 and can_lift(plan, steps[0])
    edits = _lifted(plan, steps[0]) if lifts else _closed(plan, group, steps)
    form = "lifted" if lifts else "vjp" if any(step.pulls for step in steps) else "closure"
    how = (
        "gradients go into `.grad`: " + group.reason
        if group.style is Style.SLOTS
        else f"gradients are {group.style.value}"
    )
    notes = [Diagnostic("T2M205", Span.of(step.event.node), f"training step in {form} form; {how}") for step in steps]
    moved = [stmt for step in steps for stmt in (*step.forward.kept, *step.forward.later)]
    edits += [Splice(plan.events[i].stmt, ()) for i in plan.gradients.idle]
    held: list[ast.AST] = [edit.stmt for edit in edits if isinstance(edit, Splice)]
    held += [edit.node for edit in edits if isinstance(edit, Replace)]
    return Claim("training", tuple(held), (*edits, *(Splice(stmt, ()) for stmt in moved)), tuple(notes), form)


def _variable(plan: ScopePlan, group: Group) -> str:
    """The name of the gradients: one name, or a tuple where an update by hand names its tensors."""
    if group.manual is not None and group.style is not Style.SLOTS and group.manual.names:
        names = [f"{name.id}_grad" for name in group.manual.names]
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    several = len(plan.gradients.groups) > 1 and group.optimizers
    return plan.fresh.name(f"grads{_suffix(group.optimizers[0].owner)}" if several else "grads")


def _suffix(optimizer: ast.expr | None) -> str:
    """What tells an optimizer's name from others: `D` of optimizerD, `_d` of opt_d and of d_optimizer."""
    name = (dotted(optimizer) if optimizer is not None else None) or ""
    last = name.rpartition(".")[2]
    front = re.fullmatch(r"(?:optimizer|optim|opt)(_?\w+)", last)
    if front:
        return front.group(1)
    back = re.fullmatch(r"(\w+?)_(?:optimizer|optim|opt)", last)
    return f"_{back.group(1)}" if back else ""


def _function_name(plan: ScopePlan, step: Step) -> str:
    losses = [s.forward.loss for s in plan.steps]
    loss = step.forward.loss
    if len(plan.steps) == 1 or loss is None or losses.count(loss) > 1:
        return plan.fresh.name("forward_fn")
    return plan.fresh.name(f"{loss.rpartition('.')[2]}_fn")


def _lifted(plan: ScopePlan, step: Step) -> list[Edit]:
    fresh = plan.fresh
    names = (_function_name(plan, step), fresh.name("grad_fn"), fresh.name("train_step"))
    variable = _variable(plan, step.group)
    weights, parts = step.weights.template, step.weights.parts
    before: list[Edit] = []
    if not step.weights.own and not step.weights.literal:
        assert step.loop is not None
        weights, parts = fresh.name("weights"), ()
        before.append(Insert(step.loop, "before", (New(f"{weights} = {step.weights.template}", step.weights.parts),)))
    return before + lifted_edits(plan, step, names, variable, weights, parts)


def _closed(plan: ScopePlan, group: Group, steps: list[Step]) -> list[Edit]:
    edits: list[Edit] = []
    variable = _variable(plan, group)
    weights, parts = steps[0].weights.template, steps[0].weights.parts
    named = None if steps[0].weights.own and group.style is not Style.SLOTS else weights
    if not steps[0].weights.own and not steps[0].weights.literal:
        named = plan.fresh.name("weights")
        edits.append(Insert(_home(plan, steps), "before", (New(f"{named} = {weights}", parts),)))
        weights, parts = named, ()
    producers = Producers(plan, steps, weights, parts)
    edits += producers.edits()
    for step in steps:
        step.handed = plan.fresh.name("forward_fn") if step.across is not None else ""
        edits += close_edits(plan, step, _function_name(plan, step), variable, weights, parts, producers)
    if group.style is not Style.SLOTS:
        edits += consumer_edits(plan, steps, variable, named, (weights, parts))
        edits += _beginning(plan, group, steps, variable)
    for step in steps:
        if step.across is not None:
            loss = None if step.forward.region.stmts else step.forward.loss
            edits = step.across.edits(step.handed, loss, edits, [*step.forward.kept, *step.forward.later])
    return edits


def _home(plan: ScopePlan, steps: list[Step]) -> ast.stmt:
    """The outermost loop before which the weights can be listed; else the statement of the backward."""
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
    return home


def _beginning(plan: ScopePlan, group: Group, steps: list[Step], variable: str) -> list[Edit]:
    """`grads = None` before the loop where a sum begins without a zero_grad in sight."""
    adds = [step for step in steps if not step.first and plan.gradients.empty_before(group, step.index)]
    flow = plan.facts.flow(plan.layout.scope)
    edits: list[Edit] = []
    for step in adds:
        zeros = [plan.events[i].stmt for i in group.zeros]
        if any(flow.dominates(zero, step.event.stmt) for zero in zeros):
            continue
        loops = [owner for owner in plan.layout.around(step.event.stmt) if isinstance(owner, LOOPS)]
        home = loops[-1] if loops else step.forward.region.close
        edits.append(Insert(home, "before", (New(f"{variable} = None"),)))
        break
    return edits
