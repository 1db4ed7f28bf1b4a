"""The lifted form: forward_fn, grad_fn and, where something beside the loss is returned, train_step before the loop."""

from __future__ import annotations

import ast

from torch2ms.edits import Def, Edit, Insert, Item, Keep, New, Splice
from torch2ms.transforms.training.closure import clip_edit
from torch2ms.transforms.training.events import Act
from torch2ms.transforms.training.gradients import Style
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.plans import ScopePlan, Step
from torch2ms.transforms.training.tree import LOOPS, own_nodes


def can_lift(plan: ScopePlan, step: Step) -> bool:
    """Whether the step is the only one of its loop, unconditional, and can be built before the loop."""
    loop = step.loop
    if loop is None or step.group.style is not Style.PLAIN or step.forward.region.close is not step.event.stmt:
        return False
    inside = {node for node in own_nodes(loop) if isinstance(node, ast.stmt)}
    if sum(e.act is Act.BACKWARD and e.stmt in inside for e in plan.events) != 1 or len(step.group.sites) != 1:
        return False
    block = step.forward.region.block
    places = plan.layout.places
    if any(
        places[plan.events[i].stmt].block is not block or places[plan.events[i].stmt].index < step.forward.region.end
        for i in step.group.steps
    ):
        return False
    flow = plan.facts.flow(plan.layout.scope)
    roots = {name for part in step.weights.parts for name in flow.reads([part])}
    if roots & flow.writes([loop]) or any(not flow.definitely_assigned(name, [loop]) for name in roots & flow.locals):
        return False
    return not any(isinstance(n, ast.Attribute) and n.attr == "add_param_group" for n in ast.walk(plan.facts.tree))


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
        n for n in order if n in forward.parameters or n not in flow.shared and flow.definitely_assigned(n, [first])
    ]
    return tuple(dict.fromkeys((*found, *forward.parameters)))


def lifted_edits(
    plan: ScopePlan, step: Step, names: tuple[str, str, str], variable: str, weights: str, parts: tuple[ast.expr, ...]
) -> list[Edit]:
    """All edits of the step; `names` are those of the function, of its gradient and of the step."""
    function, gradient, whole = names
    forward = step.forward.with_parameters(parameters(plan, step))
    given = ", ".join(forward.parameters)
    before: list[Item] = [
        forward.define(function),
        New(f"{gradient} = $value_and_grad({function}, None, {weights}{forward.has_aux})", parts),
    ]
    named = None if step.weights.own else weights
    call = New(f"{forward.target}, {variable} = {gradient}({given})")
    if not _whole(plan, step):
        assert step.loop is not None
        later = tuple(Keep(stmt) for stmt in forward.later)
        edits: list[Edit] = [Insert(step.loop, "before", tuple(before)), Splice(step.event.stmt, (call, *later))]
        edits += [clip_edit(plan, i, variable) for i in step.group.clips]
        return (
            edits
            + [Splice(plan.events[i].stmt, (use,)) for i, use in _uses(plan, step, variable, named)]
            + _zeros(plan, step)
        )
    result = ", ".join((forward.loss or "_", *forward.others))
    body: list[Item] = [call]
    for index in step.group.clips:
        edit = clip_edit(plan, index, variable)
        assert isinstance(edit, Splice)
        body += edit.items
    body += [use for _, use in _uses(plan, step, variable, named)]
    body.append(New(f"return {result}" if forward.loss else f"return {', '.join(forward.others)}"))
    before.append(Def(f"{whole}({given})", tuple(body)))
    assert step.loop is not None
    target = result if forward.loss else ", ".join(forward.others)
    edits = [
        Insert(step.loop, "before", tuple(before)),
        Splice(step.event.stmt, (New(f"{target} = {whole}({given})"),)),
    ]
    edits += [Splice(plan.events[i].stmt, ()) for i in (*step.group.clips, *step.group.steps)]
    return edits + _zeros(plan, step)


def _zeros(plan: ScopePlan, step: Step) -> list[Edit]:
    return [Splice(plan.events[i].stmt, ()) for i in step.group.zeros]


def _uses(plan: ScopePlan, step: Step, variable: str, weights: str | None) -> list[tuple[int, New]]:
    arguments = variable if weights is None else f"{variable}, {weights}"
    return [(i, New(f"$0({arguments})", (plan.events[i].owner,))) for i in step.group.steps]


def _whole(plan: ScopePlan, step: Step) -> bool:
    """Whether backward, clipping and step stand together and give more than the loss: a function of their own."""
    forward: Forward = step.forward
    if not forward.others or forward.later or forward.loss is not None and "." in forward.loss:
        return False
    places = plan.layout.places
    block, index = forward.region.block, forward.region.end
    own = {plan.events[i].stmt for i in (*step.group.clips, *step.group.steps, *step.group.zeros)}
    if any(not plan.events[i].bare or places[plan.events[i].stmt].block is not block for i in step.group.clips):
        return False
    last = max(places[plan.events[i].stmt].index for i in step.group.steps)
    return all(stmt in own for stmt in block[index + 1 : last + 1])
