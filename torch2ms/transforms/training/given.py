"""Closures that an optimizer runs itself: `optimizer.step(closure)` gets the gradient function of the closure."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Def, Edit, Insert, Item, New, Replace, Splice
from torch2ms.source import Span
from torch2ms.transforms.training.events import Act, Event, backward_gradient, flag
from torch2ms.transforms.training.pieces import Fresh
from torch2ms.transforms.training.tree import Layout


@dataclass(frozen=True, slots=True)
class Given:
    """The places where a closure is handed over, and the one optimizer that gets it."""

    uses: tuple[ast.Name, ...]
    optimizer: ast.expr


def given_to_step(facts: Facts, function: ast.AST) -> Given | None:
    """The uses of a function where all of them hand it to the `step` of one optimizer."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    uses: list[ast.Name] = []
    owners: dict[str, ast.expr] = {}
    for node in facts.names.parents:
        if not isinstance(node, ast.Name) or node.id != function.name or not isinstance(node.ctx, ast.Load):
            continue
        scope = facts.names.binder(node)
        if scope is None or scope.bindings.get(function.name) != [function]:
            continue
        owner = _stepping(facts, node)
        if owner is None:
            return None
        uses.append(node)
        owners[dotted(owner) or ""] = owner
    if len(owners) != 1 or "" in owners:
        return None
    return Given(tuple(uses), next(iter(owners.values())))


def _stepping(facts: Facts, node: ast.Name) -> ast.expr | None:
    """The optimizer whose `step(closure)` the name is an argument of."""
    call = facts.parent(node)
    if isinstance(call, ast.keyword):
        call = facts.parent(call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return None
    owner = call.func.value
    return owner if facts.kinds.of(owner).kind in (Kind.OPTIMIZER, Kind.UNKNOWN) else None


def closure_claim(facts: Facts, layout: Layout, events: list[Event], given: Given) -> Claim | str:
    """The claim that makes the closure a function to differentiate, or why it cannot be one."""
    function = layout.scope
    assert isinstance(function, ast.FunctionDef)
    sites = [e for e in events if e.act is Act.BACKWARD]
    site = sites[0]
    call = site.node
    if len(sites) != 1 or not site.bare or not isinstance(call, ast.Call):
        return "the closure holds several backwards"
    if backward_gradient(call) is not None or flag(call, "create_graph", 2):
        return "backward is called with arguments"
    if any(e.act in (Act.STEP, Act.CLIP, Act.READ, Act.UNSURE) for e in events):
        return "the closure uses the gradients itself"
    edits: list[Edit] = [Splice(site.stmt, ())]
    edits += [Splice(e.stmt, ()) for e in events if e.act is Act.ZERO and e.bare]
    returns = [stmt for stmt in layout.places if isinstance(stmt, ast.Return)]
    if not returns or any(stmt.value is None for stmt in returns):
        return "the closure returns no loss"
    other = any(not _returns(stmt.value, site.owner) for stmt in returns)
    for stmt in returns:
        if other:
            edits.append(Splice(stmt, (New("return $0, $1", (site.owner, stmt.value)),)))  # type: ignore[arg-type]
        elif ast.dump(stmt.value) != ast.dump(site.owner):  # type: ignore[arg-type]
            edits.append(Splice(stmt, (New("return $0", (site.owner,)),)))
    edits += _handed(facts, function, given, other)
    held = [e.stmt if isinstance(e, Splice) else e.node for e in edits if isinstance(e, (Splice, Replace))]
    note = Diagnostic("T2M205", Span.of(call), "the closure of an optimizer becomes its gradient function")
    return Claim("training", tuple(held), tuple(edits), (note,), "closure")


def _handed(facts: Facts, function: ast.FunctionDef, given: Given, other: bool) -> list[Edit]:
    """The gradient function, handed over in the place of the closure; with what the closure returns beside its loss."""
    fresh = Fresh(facts.names.bound)
    # a second closure, or another step of the function around it, may make a gradient function too
    own = "" if _is_only_backward(facts, function) else f"{function.name}_"
    name = fresh.name(f"{own}grad_fn")
    has_aux = ", has_aux=True" if other else ""
    made: list[Item] = [New(f"{name} = $value_and_grad({function.name}, None, $0.parameters{has_aux})", (given.optimizer,))]
    if other:
        evaluate = fresh.name(f"{own}evaluate")
        made.append(Def(f"{evaluate}()", (New(f"(_, value), grads = {name}()"), New("return value, grads"))))
        name = evaluate
    return [Insert(function, "after", tuple(made)), *(Replace(use, name) for use in given.uses)]


def _is_only_backward(facts: Facts, function: ast.FunctionDef) -> bool:
    """Whether the function around a closure takes no other gradients."""
    outer = facts.function(function)
    calls = [n for n in ast.walk(outer) if isinstance(n, ast.Attribute) and n.attr in ("backward", "scale", "grad")]
    return all(call in set(ast.walk(function)) for call in calls)


def _returns(value: ast.expr | None, loss: ast.expr) -> bool:
    """Whether a returned value is the loss, or the number in it."""
    if value is None:
        return False
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("item", "detach"):
        value = value.func.value
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "float":
        value = value.args[0]
    return ast.dump(value) == ast.dump(loss)
