"""Augmented assignments to names and attributes: `x += y`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from torch2ms.analysis.aliases import Sharing, Write
from torch2ms.analysis.effects import dotted
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, New, Splice
from torch2ms.source import Span
from torch2ms.transforms.inplace.dtypes import doubts, widens
from torch2ms.transforms.inplace.forms import Form, choose
from torch2ms.transforms.inplace.values import Declined
from torch2ms.transforms.inplace.writer import SIGNS, Writer, is_constant


def augmented(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """MindSpore binds the name anew, which is right where nobody else sees the tensor."""
    stmt = write.node
    assert isinstance(stmt, ast.AugAssign)
    target = stmt.target
    sign = SIGNS[type(stmt.op)]
    if write.certain and (row := writer.row(target)) is not None:
        new = New(f"{row.base.id}[{row.index}] = $0 {sign} $1", (target, stmt.value))
        if writer.reads_after(stmt, target):
            new = New(f"$0 = $0 {sign} $1\n{row.base.id}[{row.index}] = $0", (target, stmt.value))
        yield writer.claim((stmt,), (Splice(stmt, (new,)), *row.edits()))
        return
    if _is_counter(writer, write, stmt):
        value = f"$0 {sign} $1" if not _is_shared(writer, target) else f"$tensor.updated($0, $0 {sign} $1)"
        yield writer.claim((stmt,), (Splice(stmt, (New(f"$0 = {value}", (target, stmt.value)),)),))
        return
    certain = writer.around.is_leaf(target) or write.certain
    if write.certain and writer.facts.kinds.of(target).optional:
        # perhaps None or a number, which nobody can share
        certain = writer.around.is_leaf(target) or _is_shared(writer, target)
    derived = writer.derived(target, stmt)
    try:
        form = choose(writer.around, target, stmt.value, False, is_constant(stmt.value), derived.settled)
    except Declined:
        if certain or write.certain:
            raise
        # a number, as far as anyone knows: the statement stays, and the doubt is said
        form = Form("$0[:] = $1", (target, stmt.value))
    before = writer.facts.kinds.before(stmt)
    if not form.binds and certain and isinstance(target, ast.Name) and (before.optional or before.kind is Kind.NUMBER):
        form = replace(form, template="$0 = $tensor.updated($0, $1)")
    if not form.binds and not certain:
        if _counts(writer, target):
            return
        yield Diagnostic(
            "T2M302",
            Span.of(stmt),
            f"{ast.unparse(target)} is bound anew here; a tensor that others hold would have changed for them too",
            "write x[:] = ... if it is a tensor that others hold",
        )
        return
    if not certain and not write.certain:
        if isinstance(target, ast.Name) and form.said and writer.around.others(target):
            yield from form.said
        return
    value = f"$0 {sign} $1"
    said = form.said
    if widens(writer.facts, target, stmt.value):
        value = f"({value}).to($0.dtype)"
    elif form.binds:
        said = [*said, *doubts(writer.facts, target, stmt, stmt.value)]
    template = form.template.replace("$1", value)
    items = (New(template, form.parts), *derived.items)
    yield writer.claim((stmt,), (Splice(stmt, items), *derived.edits), said)


def _counts(writer: Writer, target: ast.expr) -> bool:
    """Whether the target is an item of a `Counter` or a `defaultdict(int)`: a number."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return False
    names = writer.facts.names
    made = writer.facts.aliases(writer.facts.function(target)).bindings(target.value)

    def is_counter(value: ast.expr | None) -> bool:
        match value:
            case ast.Call(func=func, args=[ast.Name(id="int" | "float")]) if names.of(func) == "collections.defaultdict":
                return True
            case ast.Call(func=func):
                return names.of(func) == "collections.Counter"
        return False

    return bool(made) and all(is_counter(_given(stmt, target.value.id)) for stmt in made)


def _given(stmt: ast.AST, name: str) -> ast.expr | None:
    """What an assignment gives to a name, alone or in a tuple."""
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            return next((v for t, v in zip(targets, values, strict=True) if isinstance(t, ast.Name) and t.id == name), None)
    return None


def _is_counter(writer: Writer, write: Write, stmt: ast.AugAssign) -> bool:
    """Whether the target begins as a number, which no write can reach, where no gradient runs."""
    target, kinds = stmt.target, writer.facts.kinds
    before = kinds.before(stmt)
    if not write.certain or not (before.optional or before.kind is Kind.NUMBER) or writer.around.is_leaf(target):
        return False
    boxed = isinstance(target, ast.Subscript) and kinds.of(target.value).kind in (Kind.SEQUENCE, Kind.MAPPING)
    free = writer.around.is_free(target) and not writer.around.loses_graph(target)
    return free and (boxed or isinstance(target, ast.Attribute))


def _is_shared(writer: Writer, target: ast.expr) -> bool:
    others = writer.around.others(target)
    if isinstance(target, ast.Subscript):
        others.pop(dotted(target.value) or "", None)  # the container itself
    outside = writer.around.seen_outside(target) is not Sharing.NO
    return outside or any(s is not Sharing.UNDECIDED for s in others.values())
