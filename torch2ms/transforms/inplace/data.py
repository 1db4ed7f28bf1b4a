"""Assignments to `.data`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Sharing, Write
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, New, Splice
from torch2ms.transforms.inplace.forms import check_quiet, choose
from torch2ms.transforms.inplace.leaves import may_be_asked
from torch2ms.transforms.inplace.stored import Stored
from torch2ms.transforms.inplace.values import Declined, bare
from torch2ms.transforms.inplace.writer import SIGNS, Writer


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
            nodes, edits = writer.facts.once(Stored).copies(target, stmt)
    else:
        raise Declined(".data is assigned together with other targets", "assign it in a statement of its own")
    yield writer.claim((stmt, *nodes), (Splice(stmt, (New(template, (target, stmt.value)),)), *edits))
