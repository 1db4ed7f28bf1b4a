"""Writes by an index: `x[i] = y`, `x[mask] += y`, `x[:] = y`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Write
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, New, Splice
from torch2ms.transforms.inplace.families import NOTHING, Derived, takes_all
from torch2ms.transforms.inplace.forms import check_kept, check_quiet, choose, covers_later_axes, refuse_sharing
from torch2ms.transforms.inplace.leaves import may_be_asked
from torch2ms.transforms.inplace.rows import Row
from torch2ms.transforms.inplace.values import Declined, bare
from torch2ms.transforms.inplace.views import as_value, check_cast, may_be_view, written_through
from torch2ms.transforms.inplace.writer import SIGNS, Writer


def item(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """x[i] = y is right as it stands, but for views in a gradient, masks through views, and whole tensors."""
    stmt = write.node
    if not isinstance(stmt, (ast.Assign, ast.AugAssign)):
        return
    target = _target_of(stmt, write)
    if target is None:
        return
    if writer.around.is_free(stmt):
        yield from _free(writer, write, stmt, target)
        return
    if not write.certain:
        return
    owner = bare(target.value)
    if owner is not target.value and not writer.around.is_leaf(owner) and not may_be_asked(writer.facts, owner):
        raise Declined(".data is written inside a gradient", "compute a new tensor with ops.stop_gradient")
    if written_through(writer.around, target):
        yield from _through(writer, stmt, target)
        return
    if isinstance(target.value, ast.Name) and (row := writer.row(target.value)) is not None:
        yield _in_row(writer, stmt, target, row)
        return
    derived = NOTHING
    if isinstance(write.target, ast.Name):
        derived = writer.derived(write.target, stmt)
        others = {n: s for n, s in writer.around.others(write.target).items() if n not in derived.settled}
        refuse_sharing(writer.around, write.target, others)
        writer.around.check_argument(write.target)
    if takes_all(target.slice):
        yield from _whole(writer, stmt, target, derived)
        return
    if derived.mixes:
        yield _replaced(writer, stmt, target, derived)
        return
    if derived.items or derived.edits:
        yield Claim("inplace", (), derived.after(stmt))
    if isinstance(stmt, ast.AugAssign) and covers_later_axes(writer.around, target.slice):
        template = f"$0 = $0.copy() {SIGNS[type(stmt.op)]} $1"
        yield writer.claim((stmt,), (Splice(stmt, (New(template, (target, stmt.value)),)),))


def _target_of(stmt: ast.Assign | ast.AugAssign, write: Write) -> ast.Subscript | None:
    targets = [stmt.target] if isinstance(stmt, ast.AugAssign) else stmt.targets
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Subscript) and node.value is write.target:
                return node
    return None


def _free(
    writer: Writer, write: Write, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript
) -> Iterator[Claim | Diagnostic]:
    """Outside of gradients: an index that is no slice and no number does not reach the base of a view."""
    if isinstance(target.value, ast.Name) and writer.around.keeps_graph(target.value):
        yield _kept(writer, stmt, target)
        return
    check_quiet(writer.around, bare(target.value))
    check_cast(writer.around, bare(target.value))
    kind = writer.facts.aliases(writer.facts.function(stmt)).index_kind(target.slice)
    plain = kind == "basic" and not takes_all(target.slice) or not write.certain and kind != "advanced"
    if plain or not may_be_view(writer.around, target.value):
        return
    alone = isinstance(stmt, ast.AugAssign) or len(stmt.targets) == 1 and stmt.targets[0] is target
    if not alone:
        raise Declined("several targets are assigned together", "assign them in statements of their own")
    value, template = stmt.value, "$2"
    if isinstance(stmt, ast.AugAssign):
        template = f"$3 {SIGNS[type(stmt.op)]} $2"
    if takes_all(target.slice):
        if not isinstance(target.slice, ast.Constant):
            return
        template = template.replace("$3", "$0").replace("$2", "$1")
        whole = "[()]" if writer.around.may_have_no_axis(target.value) else "[:]"
        new = New(f"$0{whole} = {template}", (target.value, value))
    else:
        index, parts = as_value(target.slice, 3)
        template = template.replace("$2", "$1").replace("$3", "$2")
        new = New(f"$tensor.write($0, {index}, {template})", (target.value, value, target, *parts))
    yield writer.claim((stmt,), (Splice(stmt, (new,)),))


def _kept(writer: Writer, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript) -> Claim:
    """`x[i] = y` under no_grad, where x goes on with the graph that it has."""
    name = target.value
    assert isinstance(name, ast.Name)
    if isinstance(stmt, ast.Assign) and (len(stmt.targets) != 1 or stmt.targets[0] is not target):
        raise Declined("several targets are assigned together", "assign them in statements of their own")
    derived = writer.derived(name, stmt)
    check_kept(writer.around, name, derived.settled)
    index, parts = as_value(target.slice, 2)
    value = f"$0 {SIGNS[type(stmt.op)]} $1" if isinstance(stmt, ast.AugAssign) else "$1"
    made = f"$tensor.replaced({name.id}, {index}, {value})"
    new = New(f"{name.id} = $tensor.overwritten({name.id}, {made})", (target, stmt.value, *parts))
    return writer.claim((stmt,), (Splice(stmt, (new, *derived.items)), *derived.edits))


def _in_row(writer: Writer, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript, row: Row) -> Claim:
    """`row[i] = y` inside a gradient, in a loop over a tensor: the row is made anew and goes back by its number."""
    if isinstance(stmt, ast.Assign) and (len(stmt.targets) != 1 or stmt.targets[0] is not target):
        raise Declined("several targets are assigned together", "assign them in statements of their own")
    index, parts = as_value(target.slice, 3)
    value = f"$2 {SIGNS[type(stmt.op)]} $1" if isinstance(stmt, ast.AugAssign) else "$1"
    items = New(f"$0 = $tensor.replaced($0, {index}, {value})", (target.value, stmt.value, target, *parts)), row.back(target.value)
    return writer.claim((stmt,), (Splice(stmt, items), *row.edits()))


def _through(writer: Writer, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript) -> Iterator[Claim]:
    """`x.t()[0] = y` inside a gradient: x is made anew with y in its place."""
    # what the last index takes is only written to: it may as well be a copy
    base = writer.facts.aliases(writer.facts.function(stmt)).view_base(target.value)
    alone = isinstance(stmt, ast.AugAssign) or len(stmt.targets) == 1
    if base is None or not alone:
        raise Declined("a view without a name is written inside a gradient", "give the view a name")
    name = next(n for n in ast.walk(target) if isinstance(n, ast.Name) and n.id == base)
    derived = writer.derived(name, stmt)
    form = choose(writer.around, name, stmt.value, False, settled=derived.settled)
    if not form.binds:
        raise Declined(f"{base} cannot be bound anew here", "write to a tensor of its own")
    value = f"$0 {SIGNS[type(stmt.op)]} $1" if isinstance(stmt, ast.AugAssign) else "$1"
    new = New(f"{base} = $tensor.replaced({base}, lambda {base}: $0, {value})", (target, stmt.value))
    yield writer.claim((stmt,), (Splice(stmt, (new, *derived.items)), *derived.edits), form.said)


def _replaced(writer: Writer, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript, derived: Derived) -> Claim:
    """`v[i] = y` with v a part of what is read later: v is made anew, so that its base stays as it was until it is, too."""
    if isinstance(stmt, ast.Assign) and (len(stmt.targets) != 1 or stmt.targets[0] is not target):
        raise Declined("several targets are assigned together", "assign them in statements of their own")
    name = target.value.id  # type: ignore[attr-defined]
    index, parts = as_value(target.slice, 2)
    value = f"$0 {SIGNS[type(stmt.op)]} $1" if isinstance(stmt, ast.AugAssign) else "$1"
    new = New(f"{name} = $tensor.replaced({name}, {index}, {value})", (target, stmt.value, *parts))
    return writer.claim((stmt,), (Splice(stmt, (new, *derived.items)), *derived.edits))


def _whole(
    writer: Writer, stmt: ast.Assign | ast.AugAssign, target: ast.Subscript, derived: Derived
) -> Iterator[Claim]:
    """x[:] = y in a gradient: the saved input would be overwritten, so the name is bound anew."""
    if isinstance(stmt, ast.Assign) and (len(stmt.targets) != 1 or stmt.targets[0] is not target):
        raise Declined("several targets are assigned together", "assign them in statements of their own")
    form = choose(writer.around, target.value, stmt.value, False, settled=derived.settled)
    if not form.binds:
        raise Declined("the whole tensor is written inside a gradient", "compute a new tensor and assign it")
    info = writer.facts.kinds.of(stmt.value)
    if isinstance(stmt, ast.AugAssign):
        value = f"$0 {SIGNS[type(stmt.op)]} $1"
    elif info.kind.name == "NUMBER" and info.certain:
        value = "$mint.full_like($0, $1)"
    elif info.is_tensor:
        value = "$1.to($0.dtype).expand_as($0).copy()"
    else:
        raise Declined("the whole tensor is written with a value of unknown kind", "compute a new tensor and assign it")
    new = New(form.template.replace("$1", value), form.parts)
    yield writer.claim((stmt,), (Splice(stmt, (new, *derived.items)), *derived.edits), form.said)
