"""In-place methods and functions: `x.add_(y)`, `torch.relu_(x)`, and those that change the object and not its values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from torch2ms.analysis.aliases import Write
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, New, Replace, Splice
from torch2ms.transforms.inplace.forms import WRITE, check_quiet, choose
from torch2ms.transforms.inplace.values import (
    Declined,
    Value,
    around_bare,
    bare,
    function_value,
    in_place_name,
    target_of,
    value_of,
)
from torch2ms.transforms.inplace.views import as_value, is_cast, written_through
from torch2ms.transforms.inplace.writer import Writer

_INIT = {"normal_": "normal_", "uniform_": "uniform_", "zero_": "zeros_", "fill_": "constant_"}


def method(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """x.add_(y), also in a chain and where its value is used."""
    call = write.node
    assert isinstance(call, ast.Call)
    if in_place_name(call) is None or in_place_name(call) == "requires_grad_" or _inside_chain(writer, call):
        return
    target = target_of(writer.facts, call)
    through_data = bare(target) is not target
    stmt = writer.facts.statement(call)
    statement = isinstance(stmt, ast.Expr) and stmt.value is call
    if statement and (through_data or writer.around.is_leaf(target)) and (init := _init(call, target)) is not None:
        if writer.around.is_leaf(bare(target)) or not writer.facts.kinds.of(bare(target)).is_tensor:
            yield writer.claim((stmt, call, call.func, *around_bare(target)), (Splice(stmt, (init,)),))
            return
    value = value_of(writer.facts, call)
    if statement and (row := _row(writer, call, target, value)) is not None:
        yield row
        return
    if _is_copy(writer, bare(target)):  # raises where it is not known
        # the result of advanced indexing is a tensor of its own, which nothing else holds
        yield writer.claim(value.nodes, value.edits, value.said)
        return
    if not isinstance(bare(target), (ast.Name, ast.Attribute, ast.Subscript)):
        yield from _on_expression(writer, call, target, value, stmt)
        return
    yield from _on_place(writer, call, target, value, stmt, through_data)


def _on_place(
    writer: Writer, call: ast.Call, target: ast.expr, value: Value, stmt: ast.stmt, through_data: bool
) -> Iterator[Claim]:
    """The target is a name, an attribute or an item."""
    place = bare(target)
    if isinstance(place, ast.Subscript) and written_through(writer.around, place):
        yield from _on_expression(writer, call, target, value, stmt)
        return
    derived = writer.derived(place, stmt)
    form = choose(writer.around, place, call, through_data, through_data, derived.settled)
    if derived.mixes and isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name) and form.binds:
        name = place.value.id
        index, parts = as_value(place.slice, 2)
        form = replace(form, template=f"{name} = $tensor.replaced({name}, {index}, $1)", parts=(*form.parts, *parts))
    source = _copied(call, target)
    if source is not None and not form.binds and "overwritten" not in form.template:
        form = replace(form, parts=(form.parts[0], source))
    said = (*value.said, *form.said)
    inside = not isinstance(stmt, (ast.Expr, ast.Assign, ast.Return)) or stmt.value is not call
    if inside and not form.binds and form.template in _THROUGH and (edits := _as_expression(call, place, value)):
        yield writer.claim(value.nodes, edits, said)
        return
    items = writer.items(stmt, call, bare(target), form, derived.items)
    if items is None:
        yield writer.claim(value.nodes, (*value.edits, *derived.after(stmt)), said)
    else:
        yield writer.claim((stmt, *value.nodes), (Splice(stmt, items), *value.edits, *derived.edits), said)


_THROUGH = ("$0[:] = $1", "$0[()] = $1", WRITE)


def _as_expression(call: ast.Call, target: ast.expr, value: Value) -> list[Edit] | None:
    """A write whose value is used inside an expression: the function that writes gives the tensor back."""
    own = next((e for e in value.edits if isinstance(e, Replace) and e.node is call), None)
    if own is None:
        return None
    text = f"$tensor.write(${len(own.parts)}, ..., {own.template})"
    return [Replace(call, text, (*own.parts, target)) if e is own else e for e in value.edits]


def _on_expression(writer: Writer, call: ast.Call, target: ast.expr, value: Value, stmt: ast.stmt) -> Iterator[Claim]:
    """The target is a view that has no name, or the result of a call."""
    free = writer.around.is_free(stmt)
    base = writer.facts.aliases(writer.facts.function(call)).view_base(bare(target), free)
    if base is None:
        if not writer.around.is_new(target):
            if free and is_cast(target) and (edits := _as_expression(call, target, value)):
                writer.around.written_casts[target] = None
                yield writer.claim(value.nodes, edits, value.said)
                return
            raise Declined(
                "the call may give a tensor that something else holds", "give the tensor a name and bind that anew"
            )
        yield writer.claim(value.nodes, value.edits, value.said)
        return
    if not isinstance(stmt, ast.Expr) or stmt.value is not call:
        raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")
    if free:
        form = choose(writer.around, bare(target), call, False)
        yield writer.claim(
            (stmt, *value.nodes), (Splice(stmt, (New(form.template, form.parts),)), *value.edits), value.said
        )
        return
    name = next(n for n in ast.walk(bare(target)) if isinstance(n, ast.Name) and n.id == base)
    derived = writer.derived(name, stmt)
    form = choose(writer.around, name, call, False, settled=derived.settled)
    if not form.binds:
        raise Declined(f"{base} cannot be bound anew here", "write to a tensor of its own")
    new = New(f"{base} = $tensor.replaced({base}, lambda {base}: $0, $1)", (bare(target), call))
    said = (*value.said, *form.said)
    yield writer.claim((stmt, *value.nodes), (Splice(stmt, (new, *derived.items)), *value.edits, *derived.edits), said)


def _row(writer: Writer, call: ast.Call, target: ast.expr, value: Value) -> Claim | None:
    """The target is a row that a loop takes from a tensor, or a part of one."""
    stmt, part = writer.facts.statement(call), target
    if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) and not writer.around.is_free(stmt):
        if writer.facts.aliases(writer.facts.function(call)).index_kind(part.slice) != "basic":
            return None
        target = part.value
    row = writer.row(target)
    if row is None:
        return None
    edits = [*row.edits(), *value.edits]
    if isinstance(part, ast.Subscript):
        index, parts = as_value(part.slice, 2)
        items = New(f"$0 = $tensor.replaced($0, {index}, $1)", (target, call, *parts)), row.back(target)
    elif writer.reads_after(stmt, target):
        items = New("$0 = $1", (target, call)), row.back(target)
    else:
        return writer.claim((stmt, *value.nodes), (Splice(stmt, (row.back(call),)), *edits), value.said)
    return writer.claim((stmt, *value.nodes), (Splice(stmt, items), *edits), value.said)


def _is_copy(writer: Writer, target: ast.expr) -> bool:
    if not isinstance(target, ast.Subscript) or not writer.facts.kinds.of(target.value).is_tensor:
        return False
    kind = writer.facts.aliases(writer.facts.function(target)).index_kind(target.slice)
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    if kind == "unknown" and any(writer.facts.kinds.of(p).is_tensor for p in parts):
        raise Declined(
            "the index is a tensor: a copy is written, or a view where it is a single number",
            "write x[i] = ... instead",
        )
    return kind == "advanced"


def function(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """torch.relu_(x); nn.init's functions write into weights as they stand, and into parts of them through the view."""
    call = write.node
    assert isinstance(call, ast.Call)
    name = writer.facts.names.of(call.func)
    if name is None:
        return
    if name.startswith("torch.nn.init."):
        _check_filled(writer, write.target)
        return
    value = function_value(writer.facts, call, name)
    stmt, target = writer.facts.statement(call), bare(write.target)
    if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        yield writer.claim(value.nodes, value.edits, value.said)
        return
    derived = writer.derived(target, stmt)
    form = choose(writer.around, target, call, False, settled=derived.settled)
    items = writer.items(stmt, call, target, form, derived.items)
    said = (*value.said, *form.said)
    if items is None:
        yield writer.claim(value.nodes, (*value.edits, *derived.after(stmt)), said)
    else:
        yield writer.claim((stmt, *value.nodes), (Splice(stmt, items), *value.edits, *derived.edits), said)


def _check_filled(writer: Writer, target: ast.expr) -> None:
    """nn.init writes outside of gradients: decline what is no weight, where a gradient can run."""
    base = bare(target)
    while not writer.around.is_leaf(base):
        if isinstance(base, ast.Subscript) or isinstance(base, ast.Attribute) and base.attr in ("data", "T"):
            base = base.value
        elif isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute):
            base = base.func.value
        else:
            break
    info = writer.facts.kinds.of(base)
    if writer.around.is_leaf(base) or info.kind is not Kind.TENSOR or not info.certain:
        return
    check_quiet(writer.around, base)
    if not writer.around.is_free(target):
        raise Declined(
            f"{ast.unparse(base)} is filled inside a gradient, which would lose its graph", "compute a new tensor"
        )


def reshaped(writer: Writer, call: ast.Call) -> Iterator[Claim | Diagnostic]:
    """x.unsqueeze_(0), x.detach_(): the object itself changes, so its name is bound anew."""
    stmt, target = writer.facts.statement(call), target_of(writer.facts, call)
    if around_bare(target):
        yield _on_new_object(writer, stmt, call, target)
        return
    if not isinstance(stmt, ast.Expr) or stmt.value is not call:
        yield from _used(writer, stmt, call, target)
        return
    if in_place_name(call) == "detach_" and isinstance(call.func, ast.Attribute) and writer.around.is_weight(call.func.value):
        yield writer.claim((stmt, call, call.func), (Splice(stmt, (New("$0.requires_grad = False", (target,)),)),))
        return
    if isinstance(target, ast.Name) and not writer.around.is_local(target.id, target):
        raise Declined(f"{target.id} belongs to an outer scope", "return the new tensor instead")
    if not isinstance(target, (ast.Name, ast.Attribute)) or writer.around.is_iterated(target):
        raise Declined("what holds the tensor cannot be bound anew", "build new tensors instead")
    value = value_of(writer.facts, call)
    yield writer.claim(
        (stmt, *value.nodes), (Splice(stmt, (New("$0 = $1", (target, call)),)), *value.edits), value.said
    )


def _on_new_object(writer: Writer, stmt: ast.stmt, call: ast.Call, target: ast.expr) -> Claim:
    """`x.data` and `x.detach()` give another object each time: that one changes, and x stays as it was."""
    if isinstance(stmt, ast.Expr) and stmt.value is call:
        raise Declined(f"{ast.unparse(target)} is another object than the tensor itself", "bind the tensor anew")
    value, kept = value_of(writer.facts, call), around_bare(target)
    edits = [e for e in value.edits if not (isinstance(e, Replace) and e.node is target)]
    return writer.claim([n for n in value.nodes if n not in kept], edits, value.said)


def _used(writer: Writer, stmt: ast.stmt, call: ast.Call, target: ast.expr) -> Iterator[Claim]:
    value = value_of(writer.facts, call)
    rebound = isinstance(stmt, ast.Assign) and any(ast.unparse(t) == ast.unparse(target) for t in stmt.targets)
    names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    live = writer.facts.flow(writer.facts.function(stmt)).live_out([stmt])
    if not rebound and isinstance(target, (ast.Name, ast.Attribute)) and names & live:
        raise Declined("the value of the write is used inside an expression", "write it as a statement of its own")
    yield writer.claim(value.nodes, value.edits, value.said)


def _init(call: ast.Call, target: ast.expr) -> New | None:
    """nn.init for what fills a weight."""
    name = in_place_name(call) or ""
    if (
        name not in _INIT
        or any(k.arg == "generator" for k in call.keywords)
        or not isinstance(bare(target), (ast.Name, ast.Attribute))
    ):
        return None
    if isinstance(call.func, ast.Attribute) and call.func.value is not target:
        return None
    names = {"normal_": ("mean", "std"), "uniform_": ("from", "to"), "fill_": ("value",)}.get(name, ())
    given = {k.arg: k.value for k in call.keywords}
    values = [*call.args, *(given[n] for n in names[len(call.args) :] if n in given)]
    if len(values) not in (0, len(names)) or set(given) - set(names):
        return None
    slots = "".join(f", ${i + 1}" for i in range(len(values)))
    return New(f"$nn.init.{_INIT[name]}($0{slots})", (bare(target), *values))


def _inside_chain(writer: Writer, call: ast.Call) -> bool:
    above = writer.facts.parent(call)
    outer = writer.facts.parent(above) if isinstance(above, ast.Attribute) else None
    return isinstance(outer, ast.Call) and outer.func is above and outer in writer.method_calls


def _copied(call: ast.Call, target: ast.expr) -> ast.expr | None:
    """The source of a plain `target.copy_(source)`."""
    plain = in_place_name(call) == "copy_" and isinstance(call.func, ast.Attribute) and call.func.value is target
    return call.args[0] if plain and call.args else None
