"""How a new value gets into the place of the old one: bound to the name, assigned, or written through an index."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, bare


@dataclass(slots=True)
class Form:
    """A statement template for the new value `$1` of the target `$0`, and what it rests on.

    `binds`: the form is `$0 = $1`, so that it can be joined with another assignment of the same value.
    """

    template: str
    parts: tuple[ast.expr, ...]
    binds: bool = False
    said: list[Diagnostic] = field(default_factory=list)


_ASSIGN = "$ops.assign($0, $1)"


def choose(
    around: Surroundings,
    target: ast.expr,
    value: ast.expr,
    through_data: bool,
    detached: bool = False,
    settled: frozenset[str] = frozenset(),
) -> Form:
    """The cheapest form that keeps the meaning of writing all of `target`; raises Declined where none does."""
    if isinstance(target, ast.Subscript):
        return _item(around, target, value, settled)
    if isinstance(target, ast.Attribute) and target.attr in ("grad", "_grad"):
        return Form("$0 = $1", (target, value), True)
    if around.is_leaf(target):
        if (
            around.is_buffer(target)
            and not (around.is_quiet(target) or through_data or detached)
            and not around.is_free(target)
        ):
            # the value may carry gradient from call to call
            return Form("$0 = $1", (target, value), True)
        return Form(_ASSIGN, (target, value))
    if through_data:
        return Form(_ASSIGN, (target, value))
    if isinstance(target, ast.Name):
        return _name(around, target, value, settled)
    if isinstance(target, ast.Attribute):
        return _attribute(around, target, value)
    raise Declined("what the write reaches is not a name, an attribute or an item", "give the tensor a name first")


def _name(around: Surroundings, target: ast.Name, value: ast.expr, settled: frozenset[str]) -> Form:
    rebound = Form("$0 = $1", (target, value), True)
    if around.returns_anew(target):
        return rebound
    others = {name: sharing for name, sharing in around.others(target).items() if name not in settled}
    outside = around.seen_outside(target)
    local = around.is_local(target.id, target)
    if local and not others and outside is Sharing.NO:
        return rebound
    if around.is_free(target):
        return Form("$0[:] = $1", (target, value))
    if not local:
        raise Declined(
            f"{target.id} belongs to an outer scope and may be part of a gradient", "return the new tensor instead"
        )
    sure = [name for name, sharing in others.items() if sharing is Sharing.SURE]
    if sure:
        raise Declined(
            f"{_listed(sure)} shares the storage and is read later",
            "compute a new tensor and derive the others from it",
        )
    likely = [name for name, sharing in others.items() if sharing is Sharing.MAYBE]
    if around.is_parameter(target.id, target) and not around.is_rebound(target):
        if not around.callers_take_the_result(target):
            raise Declined(
                f"the caller sees what is written to its argument {target.id}",
                "return the new tensor and bind it at the caller",
            )
        rebound.said.append(_note(target, f"no caller reads its argument {target.id} after the call"))
    elif likely:
        rebound.said.append(_note(target, f"{_listed(likely)}, read later, does not share the storage of {target.id}"))
    elif outside is Sharing.SURE or not around.comes_from_call(target):
        raise Declined(
            f"{target.id} may share storage with what is seen outside this function",
            "compute new tensors and return them",
        )
    else:
        rebound.said.append(_note(target, f"the call that gave {target.id} made a new tensor"))
    return rebound


def _attribute(around: Surroundings, target: ast.Attribute, value: ast.expr) -> Form:
    others = [name for name, sharing in around.others(target).items() if sharing is not Sharing.UNDECIDED]
    if around.is_free(target):
        return Form("$0[:] = $1", (target, value))
    if others:
        raise Declined(
            f"{_listed(others)} may share the storage and is read later", "compute a new tensor and assign it to both"
        )
    return Form(
        "$0 = $1", (target, value), True, [_note(target, f"nothing else holds the tensor of {ast.unparse(target)}")]
    )


def _item(around: Surroundings, target: ast.Subscript, value: ast.expr, settled: frozenset[str]) -> Form:
    if any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Await)) for n in ast.walk(target.slice)):
        raise Declined("the index is computed by a call, which would run twice", "give the index a name first")
    kind = around.facts.kinds.of(target.value).kind
    if kind in (Kind.SEQUENCE, Kind.MAPPING):
        if around.is_free(target):
            return Form("$0[:] = $1", (target, value))
        return Form("$0 = $1", (target, value), True, [_note(target, "nothing but this container holds the tensor")])
    if not around.is_free(target):
        sure = [n for n, sharing in around.others(target.value).items() if sharing is Sharing.SURE and n not in settled]
        if sure:
            raise Declined(
                f"{_listed(sure)} shares the storage and is read later, and a gradient sees only one of them",
                "write to a tensor of its own and derive the others from it",
            )
    return Form("$0 = $1", (target, value), True)


def covers_later_axes(index: ast.expr) -> bool:
    """Whether a tuple index may take the whole tensor: only slices that are not surely partial."""
    if not isinstance(index, ast.Tuple):
        return False
    return not any(_partial(part) for part in index.elts)


def _partial(part: ast.expr) -> bool:
    match part:
        case ast.Slice(lower=None, upper=None, step=None):
            return False
        case ast.Slice(lower=ast.Constant(value=int(n))) if n > 0:
            return True
        case ast.Slice(upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n)))) if n > 0:
            return True
        case ast.Slice(step=ast.Constant(value=int(n))) if n > 1:
            return True
        case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub()):
            return True
    return False


def _note(target: ast.expr, assumption: str) -> Diagnostic:
    name = ast.unparse(bare(target))
    return Diagnostic(
        "T2M302",
        Span.of(target),
        f"{name} is bound to the new value; right if {assumption}",
        "else return the new tensor and bind it at the caller",
    )


def _listed(names: list[str]) -> str:
    return ", ".join(sorted(names))
