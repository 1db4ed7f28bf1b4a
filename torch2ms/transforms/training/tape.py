"""The gradient tape: a loop that no function can hold keeps its shape, `loss.backward()` becomes `tape.backward(loss)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.canonical import is_torch
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Insert, New, Replace, unsupported
from torch2ms.source import Span
from torch2ms.transforms.training.events import Event

_ARGUMENTS = ("gradient", "retain_graph", "create_graph", "inputs")


def tape_claims(facts: Facts, declined: list[tuple[Event, str]], grads: list[ast.Call]) -> Iterator[Claim]:
    """One claim for each backward and each autograd.grad that takes no other form; the first also starts the tape."""
    if not declined and grads:
        told = Diagnostic("T2M202", Span.of(grads[0]), "torch.autograd.grad runs on the gradient tape")
        yield Claim("training", (), (_start(facts),), (told,), "tape")
    for number, (event, reason) in enumerate(declined):
        edits: list[Edit] = [_backward(facts, one) for one in (event, *event.more)]
        if number == 0:
            edits.append(_start(facts))
        held = tuple(edit.node for edit in edits if isinstance(edit, Replace))
        span = Span.of(event.node)
        told = Diagnostic("T2M202", span, f"this backward runs on the gradient tape: {reason}")
        yield Claim("training", held, tuple(edits), (told,), "tape")


def no_tape(call: ast.Call) -> Diagnostic:
    """An autograd.grad that only the tape could run."""
    return Diagnostic(
        "T2M201", Span.of(call), "torch.autograd.grad needs the gradient tape", "convert without --no-tape"
    )


def refused(facts: Facts, event: Event, reason: str) -> Claim:
    """A backward that stays behind and raises where it is reached."""
    source = facts.source.segment(event.node) or ast.unparse(event.node)
    advice = "write the step with value_and_grad"
    text = unsupported("torch.Tensor.backward", source, advice)
    told = Diagnostic("T2M201", Span.of(event.node), f"this backward is not converted: {reason}", advice)
    return Claim("training", (event.node,), (Replace(event.node, text),), (told,), "refused")


def _backward(facts: Facts, event: Event) -> Replace:
    call = event.node
    assert isinstance(call, ast.Call)
    given: list[ast.expr] = [event.owner]
    text = "$tape.backward($0"
    function = facts.names.of(call.func) == "torch.autograd.backward"
    names = ("grad_tensors", *_ARGUMENTS[1:]) if function else _ARGUMENTS
    positional = list(zip(names, call.args[1:] if function else call.args, strict=False))
    for name, value in [*positional, *((k.arg, k.value) for k in call.keywords)]:
        if name is None or name in ("tensors", "grad_variables"):
            continue
        given.append(value)
        first = name in ("gradient", "grad_tensors")
        text += f", ${len(given) - 1}" if first else f", {name}=${len(given) - 1}"
    return Replace(call, text + ")", tuple(given))


def _start(facts: Facts) -> Insert:
    """`tape.start()` behind the imports at the head of the file, also where these stand in a `try` or under an `if`."""
    last = facts.tree.body[0]
    torch = {binding.stmt for binding in facts.names.imports if is_torch(binding.target) or is_torch(binding.module)}
    seen = False
    for stmt in facts.tree.body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)) or _imports(stmt):
            last = stmt
            seen = seen or stmt in torch or any(inner in torch for inner in walk(stmt))
        # imports that come late are waited for
        elif seen and isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            break
    return Insert(last, "after", (New("\n$tape.start()"),))


def _imports(stmt: ast.stmt) -> bool:
    """Whether a statement is there for the imports inside it."""
    if not isinstance(stmt, (ast.If, ast.Try, ast.With)):
        return False
    return any(isinstance(inner, (ast.Import, ast.ImportFrom)) or _imports(inner) for inner in stmt.body)
