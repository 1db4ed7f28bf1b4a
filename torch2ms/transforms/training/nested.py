"""`torch.autograd.grad` with respect to an input: the gradient of the function that made the output."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, New, Replace, Splice
from torch2ms.source import Span
from torch2ms.transforms.training.callees import asks_for_gradient
from torch2ms.transforms.training.pieces import Fresh

_NAMES = ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs", "allow_unused")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call: the names of output and input, the call that made the output, and its gradient argument."""

    call: ast.Call
    output: ast.Name
    reduced: bool  # `output.sum()` was asked
    given: ast.expr | None
    source: ast.Name
    made: ast.Assign
    position: int
    creates: bool


def is_grad(facts: Facts, node: ast.AST) -> bool:
    """Whether a node is a call of torch.autograd.grad."""
    return isinstance(node, ast.Call) and facts.names.of(node.func) == "torch.autograd.grad"


def nested_claims(
    facts: Facts, calls: list[ast.Call], differentiated: Callable[[ast.stmt], bool]
) -> Iterator[Claim | ast.Call]:
    """The claim of each call, or the call itself where its output is not one call on its input."""
    fresh = Fresh(facts.names.bound)
    forms = _forms(facts, calls)
    for call in calls:
        asked = forms.get(call)
        node = _taken(facts, call)
        if asked is None or node is None:
            yield call
            continue
        edits = _edits(facts, asked, node, fresh, differentiated(facts.statement(call)))
        held: list[ast.AST] = [
            e.node if isinstance(e, Replace) else e.stmt for e in edits if isinstance(e, (Replace, Splice))
        ]
        told = Diagnostic(
            "T2M205", Span.of(call), "autograd.grad becomes the gradient of the function that made its output"
        )
        yield Claim("training", tuple(held), tuple(edits), (told,), "nested")


def left_calls(facts: Facts) -> list[ast.Call]:
    """The calls that do not become the gradient of a function."""
    calls, forms = facts.once(_of_file)
    return [call for call in calls if call not in forms]


def _of_file(facts: Facts) -> tuple[list[ast.Call], dict[ast.Call, _Asked]]:
    """All calls of a file, and those of them that become the gradient of a function."""
    if "grad" not in facts.source.text:
        return [], {}
    calls = [node for node in facts.names.parents if isinstance(node, ast.Call) and is_grad(facts, node)]
    return calls, _forms(facts, calls)


def _forms(facts: Facts, calls: list[ast.Call]) -> dict[ast.Call, _Asked]:
    """The calls that take this form; all of a function are left to the tape where one is, since it may go on from another."""
    found = {call: asked for call in calls if _taken(facts, call) is not None and (asked := _asked(facts, call))}
    made = [asked.made for asked in found.values()]
    left = [call for call in calls if call not in found or made.count(found[call].made) > 1]
    if any(_of_caller(facts, call) for call in left):
        return {}
    functions = {facts.function(call) for call in left}
    return {call: asked for call, asked in found.items() if facts.function(call) not in functions}


def _of_caller(facts: Facts, call: ast.Call) -> bool:
    """Whether a call may ask for the gradient of what the callers of its function computed."""
    function = facts.function(call)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "outputs")]
    names = {node.id for one in given for node in ast.walk(one) if isinstance(node, ast.Name)}
    return bool(names & facts.flow(function).parameters)


def quieted(facts: Facts) -> set[ast.stmt]:
    """The statements that only ask for the gradient of an input and disappear."""
    found: set[ast.stmt] = set()
    _, forms = facts.once(_of_file)
    for asked in forms.values():
        found |= {edit.stmt for edit in _quiet(facts, asked) if isinstance(edit, Splice)}
    return found


def _asked(facts: Facts, call: ast.Call) -> _Asked | None:
    given = dict(zip(_NAMES, call.args, strict=False)) | {k.arg: k.value for k in call.keywords if k.arg}
    outputs, inputs = _single(given.get("outputs")), _single(given.get("inputs"))
    reduced = False
    if (
        isinstance(outputs, ast.Call)
        and isinstance(outputs.func, ast.Attribute)
        and outputs.func.attr == "sum"
        and not outputs.args
    ):
        outputs, reduced = outputs.func.value, True
    if not isinstance(outputs, ast.Name) or not isinstance(inputs, ast.Name) or set(given) - set(_NAMES):
        return None
    function = facts.function(call)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
        return None
    makers = facts.flow(function).reaching(outputs.id, facts.statement(call))
    made = makers[0] if len(makers) == 1 else None
    if (
        not isinstance(made, ast.Assign)
        or made.targets[0:] != made.targets[:1]
        or not isinstance(made.targets[0], ast.Name)
    ):
        return None
    value = made.value
    if not isinstance(value, ast.Call) or value.keywords or dotted(value.func) is None or facts.names.of(value.func):
        return None
    positions = [i for i, arg in enumerate(value.args) if isinstance(arg, ast.Name) and arg.id == inputs.id]
    if len(positions) != 1 or any(isinstance(arg, ast.Starred) for arg in value.args):
        return None
    if facts.flow(function).reaching(inputs.id, made) != facts.flow(function).reaching(
        inputs.id, facts.statement(call)
    ):
        return None
    create = given.get("create_graph")
    creates = create is not None and not (isinstance(create, ast.Constant) and not create.value)
    return _Asked(call, outputs, reduced, given.get("grad_outputs"), inputs, made, positions[0], creates)


def _single(node: ast.expr | None) -> ast.expr | None:
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts[0] if len(node.elts) == 1 else None
    return node


def _taken(facts: Facts, call: ast.Call) -> ast.expr | ast.Assign | None:
    """What takes the one gradient out of the tuple: `[0]`, or an assignment to `(g,)`."""
    outer = facts.parent(call)
    if isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant) and outer.slice.value == 0:
        return outer
    if isinstance(outer, ast.Assign) and len(outer.targets) == 1:
        target = outer.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == 1:
            return outer
    return None


def _edits(facts: Facts, asked: _Asked, node: ast.expr | ast.Assign, fresh: Fresh, differentiated: bool) -> list[Edit]:
    made = asked.made.value
    assert isinstance(made, ast.Call)
    parts: list[ast.expr] = [made.func, *made.args]
    arguments = ", ".join(f"${i}" for i in range(1, len(parts)))
    edits: list[Edit] = []
    if _is_ones(facts, asked) and _used_only_there(facts, asked):
        position = f", {asked.position}" if asked.position else ""
        text = f"$grad($0{position})({arguments})"
        edits.append(Splice(asked.made, ()))
    else:
        pull = fresh.name("pull")
        edits.append(Splice(asked.made, (New(f"{asked.output.id}, {pull} = $vjp($0, {arguments})", tuple(parts)),)))
        parts = [asked.given] if asked.given is not None and not asked.reduced else [asked.output]
        text = f"{pull}($0)" if parts[0] is asked.given else f"{pull}($mint.ones_like($0))"
        text += f"[{asked.position}]" if len(made.args) > 1 else ""
    if differentiated and not asked.creates:
        text = f"$ops.stop_gradient({text})"
    if isinstance(node, ast.Assign):
        target = node.targets[0].elts[0]  # type: ignore[attr-defined]
        shifted = f"${len(parts)} = {text}"
        edits.append(Splice(node, (New(shifted, (*parts, target)),)))
    else:
        edits.append(Replace(node, text, tuple(parts)))
    return [*edits, *_quiet(facts, asked)]


def _is_ones(facts: Facts, asked: _Asked) -> bool:
    """Whether the gradient of the output is one everywhere, so that the gradient is that of the sum."""
    given = asked.given
    if given is None:
        return True
    if isinstance(given, ast.Call) and facts.names.of(given.func) in ("torch.ones", "torch.ones_like"):
        return any(isinstance(n, ast.Name) and n.id == asked.output.id for n in ast.walk(given))
    return False


def _used_only_there(facts: Facts, asked: _Asked) -> bool:
    inside = set(ast.walk(asked.call))
    function = facts.function(asked.call)
    reads = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and n.id == asked.output.id and isinstance(n.ctx, ast.Load)
    ]
    return all(node in inside for node in reads)


def _quiet(facts: Facts, asked: _Asked) -> Iterator[Edit]:
    """The requests for a gradient of the input, which a function's argument does not need."""
    name = asked.source.id
    for node in ast.walk(facts.function(asked.call)):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if (
                isinstance(target, ast.Name)
                and target.id == name
                and isinstance(value, ast.Call)
                and asks_for_gradient(value)
            ):
                inner = _without(facts, value)
                if isinstance(inner, ast.Name) and inner.id == name:
                    yield Splice(node, ())
                elif inner is not None:
                    yield Replace(value, "$0", (inner,))
            elif isinstance(target, ast.Attribute) and target.attr == "requires_grad" and dotted(target.value) == name:
                yield Splice(node, ())
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            if node.value.func.attr == "requires_grad_" and dotted(node.value.func.value) == name:
                yield Splice(node, ())


def _without(facts: Facts, call: ast.Call) -> ast.expr | None:
    """The value whose gradient a call asks for."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "requires_grad_":
        return call.func.value
    if facts.names.of(call.func) == "torch.autograd.Variable" and call.args:
        return call.args[0]
    return None
