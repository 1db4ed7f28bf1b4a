"""The closure form: `def forward_fn():` in the place of the backward, its gradient taken at once."""

from __future__ import annotations

import ast

from torch2ms.edits import Edit, Insert, Item, Keep, New, Splice
from torch2ms.transforms.training.events import Act
from torch2ms.transforms.training.gradients import Style
from torch2ms.transforms.training.manual import manual_edits
from torch2ms.transforms.training.pieces import Forward
from torch2ms.transforms.training.plans import ScopePlan, Step
from torch2ms.transforms.training.vjp import Producers


def close_edits(
    plan: ScopePlan,
    step: Step,
    function: str,
    variable: str,
    weights: str,
    parts: tuple[ast.expr, ...],
    producers: Producers,
) -> list[Edit]:
    """The edits of one backward; `weights` is a template over `parts`."""
    forward = step.forward
    # a value that was made before is pulled back where the backward stands
    nested = forward.region.close is not step.event.stmt and bool(forward.kept or forward.later or not step.pulls)
    items: list[Item] = []
    if step.across is None or forward.region.stmts:
        items.append(forward.define(function, step.handed))
    else:
        function = step.handed
    after: list[Item] = []
    call = _call(step, function, weights)
    test = _condition(plan, step) if nested and not step.pulls else None
    if test is not None:
        call = f"{call} if {test[0].replace('$', f'${len(parts)}')} else ({function}({', '.join(forward.parameters)}), None)"
        parts = (*parts, test[1])
    # `if bad(loss): continue` before the backward runs after the gradient is taken, and before it counts
    leaves = bool(forward.later) and bool(plan.facts.flow(plan.layout.scope).jumps(forward.later))
    delayed = step.first and (
        nested and test is None and not _used_within(plan, step) or leaves and step.group.style is not Style.PLAIN
    )
    given = () if step.pulls and not step.own else parts
    if step.group.style is Style.SLOTS and not nested and not step.pulls and not leaves:
        target = f"{assigned(forward)} = " if forward.loss or forward.others else ""
        items.append(New(f"{target}$backward_into({weights}, *{call})", given))
    else:
        local = variable
        if step.group.style is Style.SLOTS or not step.first or delayed:
            local = plan.fresh.name(f"step_{variable}")
        whole = producers.whole(step, local)
        if whole is not None:
            items = whole
        else:
            items.append(New(f"{forward.target}, {_gradients(step, local, producers)} = {call}", given))
            items += producers.back(step, local)
        if step.group.style is Style.SLOTS:
            after.append(New(f"$backward_into({weights}, None, {local})", parts))
        elif not step.first:
            after.append(New(f"{variable} = $accumulate({variable}, {local})"))
        elif delayed:
            after.append(New(f"{variable} = {local}"))
    items += [Keep(stmt) for stmt in forward.later]
    edits: list[Edit] = [Splice(event.stmt, ()) for event in step.event.more]
    if not nested:
        return [*edits, Splice(step.event.stmt, (*items, *after))]
    return [*edits, Insert(forward.region.close, "before", tuple(items)), Splice(step.event.stmt, tuple(after))]


def _used_within(plan: ScopePlan, step: Step) -> bool:
    """Whether all that uses the gradients of a conditional backward stands under the same condition."""
    branch = plan.layout.places[step.event.stmt].block
    manual = step.group.manual
    uses = [*step.group.steps, *step.group.clips, *(manual.reads if manual is not None else ())]
    return all(plan.layout.within(plan.events[i].stmt, branch) is not None for i in uses)


def _condition(plan: ScopePlan, step: Step) -> tuple[str, ast.expr] | None:
    """The test under which the gradient is used, where it can be asked before: a template over one part."""
    close = step.forward.region.close
    if not isinstance(close, ast.If):
        return None
    flow = plan.facts.flow(plan.layout.scope)
    plain = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)
    if not all(
        isinstance(n, (*plain, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop))
        for n in ast.walk(close.test)
    ):
        return None
    if flow.reads([close.test]) & flow.writes(step.forward.kept) or flow.attribute_writes(step.forward.kept):
        return None
    within = any(step.event.stmt is node for stmt in close.body for node in ast.walk(stmt))
    return ("$" if within else "not $"), close.test


def _call(step: Step, function: str, weights: str) -> str:
    """The gradient of the function, taken at once."""
    forward = step.forward
    arguments = ", ".join(forward.parameters)
    if not step.pulls:
        return f"$value_and_grad({function}, None, {weights}{forward.has_aux})({arguments})"
    count = len(step.pulls)
    position = "0" if count == 1 else str(tuple(range(count)))
    if step.own:
        return f"$value_and_grad({function}, {position}, {weights}{forward.has_aux})({arguments})"
    return f"$value_and_grad({function}{'' if count == 1 else ', ' + position}{forward.has_aux})({arguments})"


def _gradients(step: Step, variable: str, producers: Producers) -> str:
    """The target of what comes with the value."""
    if not step.pulls:
        return variable
    slopes = [producers.slope(shared) for shared in step.pulls]
    pulled = slopes[0] if len(slopes) == 1 else f"({', '.join(slopes)})"
    return f"({pulled}, {variable})" if step.own else pulled


def assigned(forward: Forward) -> str:
    """The target of a value that comes without gradients: `loss, out`."""
    return ", ".join((forward.first, *forward.others))


def consumer_edits(
    plan: ScopePlan,
    group_steps: list[Step],
    variable: str,
    weights: str | None,
    listed: tuple[str, tuple[ast.expr, ...]],
) -> list[Edit]:
    """What becomes of zero_grad, clipping, step and updates by hand where a local name holds the gradients.

    `weights` is the argument that an optimizer needs, `listed` a template that lists the parameters.
    """
    group = group_steps[0].group
    edits: list[Edit] = []
    resets = plan.gradients.needs_none(group)
    alone = plan.zeros(group)
    for index in group.zeros:
        stmt = plan.events[index].stmt
        if resets:
            edits.append(Splice(stmt, (New(f"{variable} = None"), *([] if index in alone else [Keep(stmt)]))))
        elif index in alone:
            edits.append(Splice(stmt, ()))
    for index in group.clips:
        edits.append(Splice(plan.events[index].stmt, (clip_call(plan, index, variable),)))
    if group.manual is not None:
        edits += manual_edits(plan.facts, plan.events, group.manual, variable, listed[0], listed[1])
    for index in group.steps:
        event = plan.events[index]
        arguments = variable if weights is None else f"{variable}, {weights}"
        call = f"$0({arguments})"
        if plan.gradients.may_be_missing(group, index):
            call = f"if {variable} is not None:\n    {call}"
        edits.append(Splice(event.stmt, (New(call, (event.owner,)),)))
    return edits


def clip_call(plan: ScopePlan, index: int, variable: str) -> New:
    """`clip_grad_norm_(...)` on the local gradients; its result keeps its name."""
    event = plan.events[index]
    call = event.node
    assert isinstance(call, ast.Call) and event.act is Act.CLIP
    name = plan.facts.names.of(call.func) or ""
    given: list[tuple[str, str | None, ast.expr]] = [(f"${i}", None, arg) for i, arg in enumerate(call.args[1:])]
    given += [
        (f"${i + len(given)}", k.arg, k.value)
        for i, k in enumerate(call.keywords)
        if k.arg not in ("foreach", "parameters")
    ]
    text = "".join(f", {k}={slot}" if k else f", {slot}" for slot, k, _ in given)
    parts = tuple(value for _, _, value in given)
    if name.endswith("clip_grad_value_"):
        return New(f"{variable} = $clip_grad_value({variable}{text})", parts)
    norm = event.stmt.targets[0].id if isinstance(event.stmt, ast.Assign) else "_"  # type: ignore[attr-defined]
    return New(f"{variable}, {norm} = $clip_grad_norm({variable}{text})", parts)
