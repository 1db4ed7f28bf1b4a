"""Assignments to `.data`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Sharing, Write
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.views import gives_view
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, New, Splice
from torch2ms.transforms.inplace.forms import check_quiet, choose
from torch2ms.transforms.inplace.leaves import is_own_leaf, is_state, may_be_asked
from torch2ms.transforms.inplace.stored import Kept, Stored
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, bare
from torch2ms.transforms.inplace.writer import SIGNS, Writer

_CASTS = frozenset("half float double bfloat16 to type type_as int long".split())


def data(writer: Writer, write: Write) -> Iterator[Claim | Diagnostic]:
    """p.data = e and p.data -= e reach the tensor itself, outside every gradient."""
    stmt = write.node
    nodes: tuple[ast.expr, ...] = ()
    edits: tuple[Edit, ...] = ()
    if isinstance(stmt, ast.AugAssign):
        target = bare(stmt.target)
        form = choose(writer.around, target, stmt.value, True, True)
        template = form.template.replace("$1", f"$0 {SIGNS[type(stmt.op)]} $1")
    elif isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Attribute):
        target = bare(stmt.targets[0])
        template = "$ops.assign($0, $1)"
        info = writer.facts.kinds.of(target)
        if isinstance(target, ast.Attribute) and target.attr == "grad":
            # the gradient's slot takes the new tensor; nothing else holds what backward put there
            template = "$0 = $1"
        elif info.kind is Kind.TENSOR and info.certain and not writer.around.is_leaf(target):
            asked = may_be_asked(writer.facts, target)
            if not isinstance(target, ast.Name) or not asked and not writer.around.is_free(stmt):
                raise Declined("another tensor is put under this one", "bind the name to a new tensor")
            if not asked:
                check_quiet(writer.around, target)
            others = writer.around.others(target)
            outside = writer.around.seen_outside(target) is not Sharing.NO
            if others or outside or not writer.around.is_local(target.id, target):
                raise Declined("another tensor is put under this one", "bind the name to a new tensor")
            # a tensor that was asked for its gradient keeps that, with the `.grad` it has
            template = "$tensor.assign($0, $1)" if asked else "$0 = $1"
        if "assign(" in template:
            shares = lives_on(writer.around, stmt.value)
            try:
                nodes, edits = writer.facts.once(Stored).copies(target, stmt)
            except Kept as kept:
                if kept.whole or not swaps(writer, target):
                    raise
                shares = True
            if shares and not swaps(writer, target):
                raise Declined(f"{ast.unparse(stmt.value)} is seen later, and PyTorch shares its storage", "write to a copy: .clone()")
            # the tensor itself is put there, as in PyTorch: what held the old storage or holds the new one goes on with it
            view = gives_view(writer.facts, stmt.value)
            if shares or not view and swaps(writer, target) and writer.facts.once(_shares_somewhere):
                template = "$0.set_data($1)"
            elif changes_type(stmt.value) and writer.around.is_leaf(target):
                # an assignment would cast the values back to the type that the tensor has
                template = "$0.data = $1"
    else:
        raise Declined(".data is assigned together with other targets", "assign it in a statement of its own")
    yield writer.claim((stmt, *nodes), (Splice(stmt, (New(template, (target, stmt.value)),)), *edits))


def changes_type(value: ast.expr) -> bool:
    """Whether the value is cast last or on the way, as in `p.data.half().contiguous()`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr in _CASTS:
            return True
        value = value.func.value
    return False


def _shares_somewhere(facts: Facts) -> bool:
    """Whether the file puts a tensor that lives on under a weight: an assignment to the weight would then write to that."""
    around = Surroundings(facts)
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Attribute) and t.attr == "data" for t in node.targets)
        and lives_on(around, node.value)
        for node in walk(facts.tree)
    )


def swaps(writer: Writer, target: ast.expr) -> bool:
    """Whether another tensor can be put under a weight: a compiled function would go on reading the old memory."""
    around = writer.around
    free = around.is_buffer(target) or is_own_leaf(writer.facts, target) or is_state(writer.facts, target)
    return not writer.facts.options.jit and around.is_leaf(target) and not free


def lives_on(around: Surroundings, value: ast.expr) -> bool:
    """Whether the tensor that is put under another one is a weight, or in a variable that is read later."""
    match value:
        case ast.Attribute(value=inner, attr="data") | ast.Call(func=ast.Attribute(value=inner, attr="detach"), args=[]):
            return lives_on(around, inner)
        case ast.IfExp(body=body, orelse=orelse):
            return lives_on(around, body) or lives_on(around, orelse)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            if around.is_leaf(value):
                return True
    root: ast.expr = value
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    live = around.live_after(around.facts.statement(value))
    return isinstance(root, ast.Name) and root.id != "self" and root.id in live
