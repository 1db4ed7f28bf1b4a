"""The lifted form: forward_fn, grad_fn and, where something beside the loss is returned, train_step before the loop."""

from __future__ import annotations

import ast

from torch2ms.edits import Def, Edit, Insert, Item, Keep, New, Splice
from torch2ms.transforms.training.closure import clip_call
from torch2ms.transforms.training.events import Act
from torch2ms.transforms.training.gradients import Style
from torch2ms.transforms.training.manual import manual_edits
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.plans import ScopePlan, Step
from torch2ms.transforms.training.tree import LOOPS, own_nodes


def can_lift(plan: ScopePlan, step: Step) -> bool:
    """Whether the step is the only one of its loop, unconditional, and can be built before the loop."""
    loop = step.loop
    if (
        loop is None
        or step.pulls
        or step.across is not None
        or step.group.style is not Style.PLAIN
        or step.forward.region.close is not step.event.stmt
    ):
        return False
    inside = {node for node in own_nodes(loop) if isinstance(node, ast.stmt)}
    if sum(e.act is Act.BACKWARD and e.stmt in inside for e in plan.events) != 1 or len(step.group.sites) != 1:
        return False
    if any(_conditional(plan, step, stmt) for stmt in _consumers(plan, step)):
        return False
    flow = plan.facts.flow(plan.layout.scope)
    roots = {name for part in step.weights.parts for name in flow.reads([part])}
    if step.group.manual is not None:
        roots -= _by_hand(step)
    if roots & flow.writes([loop]) or any(not flow.definitely_assigned(name, [loop]) for name in roots & flow.locals):
        return False
    return not any(isinstance(n, ast.Attribute) and n.attr == "add_param_group" for n in plan.facts.names.parents)


def _by_hand(step: Step) -> set[str]:
    """Tensors that an update by hand changes in place; the source seems to bind them anew."""
    return {name.id for name in step.group.manual.names} if step.group.manual is not None else set()


def _consumers(plan: ScopePlan, step: Step) -> list[ast.stmt]:
    """The statements that use the gradients: steps, and updates by hand with the loop and no_grad around them."""
    found = [plan.events[i].stmt for i in step.group.steps]
    if step.group.manual is None:
        return found
    for index in step.group.manual.reads:
        stmt = step.group.manual.anchor(plan.layout, plan.events[index])
        for owner in plan.layout.around(stmt):
            if not isinstance(owner, ast.With):
                break
            stmt = owner
        found.append(stmt)
    return found


def _conditional(plan: ScopePlan, step: Step, stmt: ast.stmt) -> bool:
    place = plan.layout.places[stmt]
    return place.block is not step.forward.region.block or place.index < step.forward.region.end


def parameters(plan: ScopePlan, step: Step) -> tuple[str, ...]:
    """The names that the function reads and that the loop binds, in the order in which the loop binds them."""
    assert isinstance(step.loop, LOOPS)
    flow = plan.facts.flow(plan.layout.scope)
    forward = step.forward
    first = forward.region.block[forward.region.start]
    wanted = set(forward.inputs) | {n for n in flow.reads([step.event.owner]) if n not in flow.writes(forward.kept)}
    order: dict[str, None] = {}
    for node in sorted(
        (n for n in own_nodes(step.loop) if isinstance(n, ast.Name)), key=lambda n: (n.lineno, n.col_offset)
    ):
        if isinstance(node.ctx, ast.Store) and node.id in wanted:
            order[node.id] = None
    found = [
        n
        for n in order
        if n in forward.parameters or n not in _by_hand(step) | flow.shared and flow.definitely_assigned(n, [first])
    ]
    return tuple(dict.fromkeys((*found, *forward.parameters)))


def lifted_edits(
    plan: ScopePlan,
    step: Step,
    names: tuple[str, str, str],
    variable: str,
    weights: str,
    parts: tuple[ast.expr, ...],
) -> list[Edit]:
    """All edits of the step; `names` are those of the function, of its gradient and of the step."""
    function, gradient, whole = names
    assert step.loop is not None
    forward = step.forward.with_parameters(parameters(plan, step))
    given = ", ".join(forward.parameters)
    before: list[Item] = [
        forward.define(function),
        New(f"{gradient} = $value_and_grad({function}, None, {weights}{forward.has_aux})", parts),
    ]
    call = New(f"{forward.target}, {variable} = {gradient}({given})")
    uses = _uses(plan, step, variable, None if step.weights.own else weights)
    edits: list[Edit] = [Splice(plan.events[i].stmt, ()) for i in plan.zeros(step.group)]
    edits += [Splice(event.stmt, ()) for event in step.event.more]
    if not _whole(plan, step):
        edits.append(Splice(step.event.stmt, (call, *(Keep(stmt) for stmt in forward.later))))
        edits += [Splice(stmt, (use,)) for stmt, use in uses]
        if step.group.manual is not None:
            edits += manual_edits(plan.facts, plan.events, step.group.manual, variable, weights, parts)
    else:
        result = ", ".join((forward.loss, *forward.others) if forward.loss else forward.others)
        body = (call, *(use for _, use in uses), New(f"return {result}"))
        before.append(Def(f"{whole}({given})", body))
        edits.append(Splice(step.event.stmt, (New(f"{result} = {whole}({given})"),)))
        edits += [Splice(stmt, ()) for stmt, _ in uses]
    return [Insert(step.loop, "before", tuple(before)), *edits]


def _uses(plan: ScopePlan, step: Step, variable: str, weights: str | None) -> list[tuple[ast.stmt, New]]:
    """Clippings and steps on the local gradients, with the statements that they stand for."""
    arguments = variable if weights is None else f"{variable}, {weights}"
    found = {i: clip_call(plan, i, variable) for i in step.group.clips}
    found |= {i: New(f"$0({arguments})", (plan.events[i].owner,)) for i in step.group.steps}
    return [(plan.events[i].stmt, found[i]) for i in sorted(found)]


def _whole(plan: ScopePlan, step: Step) -> bool:
    """Whether backward, clipping and step stand together and give more than the loss: a function of their own."""
    forward: Forward = step.forward
    if not forward.others or forward.later or step.group.manual or forward.loss is not None and "." in forward.loss:
        return False
    places = plan.layout.places
    block, index = forward.region.block, forward.region.end
    own = {plan.events[i].stmt for i in (*step.group.clips, *step.group.steps, *step.group.zeros)}
    if any(not plan.events[i].bare or places[plan.events[i].stmt].block is not block for i in step.group.clips):
        return False
    last = max(places[plan.events[i].stmt].index for i in step.group.steps)
    return all(stmt in own for stmt in block[index + 1 : last + 1])
