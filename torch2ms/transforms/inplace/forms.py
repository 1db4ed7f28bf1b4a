"""How a new value gets into the place of the old one: bound to the name, assigned, or written through an index."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span
from torch2ms.transforms.inplace.families import is_partial
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined, bare
from torch2ms.transforms.inplace.views import check_cast

NOTHING_SETTLED: frozenset[str] = frozenset()


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
_ASSIGN_VIEW = "$tensor.assign($0, $1)"
# writes as PyTorch does, and raises where a gradient would miss it
WRITE = "$tensor.write($0, ..., $1)"


def choose(
    around: Surroundings,
    target: ast.expr,
    value: ast.expr,
    through_data: bool,
    detached: bool = False,
    settled: frozenset[str] = NOTHING_SETTLED,
) -> Form:
    """The cheapest form that keeps the meaning of writing all of `target`; raises Declined where none does."""
    if isinstance(target, ast.Subscript) and not around.is_leaf(target):
        return _item(around, target, value, settled)
    if isinstance(target, ast.Attribute) and target.attr in ("grad", "_grad"):
        return Form("$0 = $1", (target, value), True)
    if around.is_leaf(target):
        if (
            around.is_buffer(target)
            and not (around.is_quiet(target) or through_data or detached)
            and not around.is_free(target)
        ):
            # the value may carry gradient from call to call; who holds the old tensor would not see the new one
            refuse_sharing(around, target, {n: s for n, s in around.others(target).items() if n not in settled})
            return Form("$0 = $1", (target, value), True)
        return Form(_assign(around, target), (target, value))
    if through_data:
        return _data(around, target, value)
    if isinstance(target, ast.Name):
        return _name(around, target, value, settled)
    if isinstance(target, ast.Attribute):
        return _attribute(around, target, value)
    base = around.facts.aliases(around.facts.function(target)).view_base(target, True)
    if around.is_free(target) and base is not None:
        check_quiet(around, target)
        return Form("$0[()] = $1", (target, value))
    raise Declined("what the write reaches is not a name, an attribute or an item", "give the tensor a name first")


def _data(around: Surroundings, target: ast.expr, value: ast.expr) -> Form:
    """Through `.data` of something that is no weight: storage is written, no graph sees it."""
    info = around.facts.kinds.of(target)
    if info.kind is not Kind.TENSOR or not info.certain:
        return Form(_ASSIGN, (target, value))
    if around.is_free(target):
        check_quiet(around, target)
        check_cast(around, target)
        return Form(_whole(around, target), (target, value))
    raise Declined(
        f"{ast.unparse(target)}.data is written inside a gradient, which would lose the graph of {ast.unparse(target)}",
        "compute a new tensor with ops.stop_gradient where no gradient is wanted",
    )


def _assign(around: Surroundings, target: ast.expr) -> str:
    """MindSpore assigns to no view; a buffer may be one, since it keeps the tensor it was given, or was written as a whole."""
    return _ASSIGN_VIEW if around.is_buffer(target) and around.may_be_view(target) else _ASSIGN


def _whole(around: Surroundings, target: ast.expr) -> str:
    """The write of all of a tensor that reaches its views; a row of a vector has no axis to slice."""
    return "$0[()] = $1" if around.may_have_no_axis(target) else "$0[:] = $1"


def check_quiet(around: Surroundings, target: ast.expr) -> None:
    """Decline a write under no_grad to what carries a graph from outside of it: MindSpore drops that graph."""
    if around.loses_graph(target) and not around.is_leaf(target):
        raise Declined(
            f"{ast.unparse(target)} may carry a graph, which a write under no_grad would drop",
            "compute a new tensor, with ops.stop_gradient where no gradient is wanted",
        )


def check_kept(around: Surroundings, target: ast.Name, settled: frozenset[str]) -> None:
    """Decline a write under no_grad to what carries a graph and may be seen by more than the names that are settled."""
    others = [n for n, s in around.others(target).items() if n not in settled and s is not Sharing.UNDECIDED]
    seen = not around.goes_back(target) and around.seen_outside(target) is not Sharing.NO
    if others or seen or not around.is_local(target.id, target) or around.is_iterated(target):
        check_quiet(around, target)


def _name(around: Surroundings, target: ast.Name, value: ast.expr, settled: frozenset[str]) -> Form:
    rebound = Form("$0 = $1", (target, value), True)
    others = {name: sharing for name, sharing in around.others(target).items() if name not in settled}
    outside = Sharing.NO if around.goes_back(target) else around.seen_outside(target)
    local = around.is_local(target.id, target)
    if around.keeps_graph(target):
        check_kept(around, target, settled)
        return Form("$0 = $tensor.overwritten($0, $1)", (target, value))
    if local and not others and outside is Sharing.NO:
        return rebound
    if around.is_free(target):
        check_cast(around, target)
        return Form(_whole(around, target), (target, value))
    if around.is_unseen(target):
        check_cast(around, target)
        return Form(WRITE, (target, value))
    if not local:
        raise Declined(
            f"{target.id} belongs to an outer scope and may be part of a gradient", "return the new tensor instead"
        )
    if around.is_iterated(target):
        reason = f"the tensors in `{around.looped_over(target)}` may share storage"
        raise Declined(reason, f"{reason}; compute new tensors and return them")
    unseen = around.comes_from_unseen_call(target)
    refuse_sharing(around, target, others)
    likely = [name for name, sharing in others.items() if sharing is Sharing.MAYBE]
    if likely:
        rebound.said.append(_note(target, f"{_listed(likely)}, read later, does not share the storage of {target.id}"))
    if outside is not Sharing.NO:
        rebound.said += _outside(around, target, unseen)
    return rebound


def refuse_sharing(around: Surroundings, target: ast.expr, others: dict[str, Sharing]) -> None:
    """Decline where others that are read later share the storage, for sure or by what is known of the calls."""
    sure = [n for n, sharing in others.items() if sharing is Sharing.SURE]
    if sure:
        raise Declined(
            f"{_listed(sure)} shares the storage and is read later",
            "compute a new tensor and derive the others from it",
        )
    likely = [n for n, s in others.items() if s is Sharing.MAYBE and not around.shares_by_unseen_call(target, n)]
    if likely:
        raise Declined(
            f"{_listed(likely)} may share the storage and is read later",
            "compute a new tensor and derive the others from it",
        )


def _outside(around: Surroundings, target: ast.Name, unseen: bool) -> list[Diagnostic]:
    """What has to be said of callers and others that may hold the tensor."""
    given = around.parameters_behind(target)
    if given is not None and around.callers_take_the_result(target):
        return [_note(target, f"no caller reads its argument {_listed(list(given))} after the call")] if given else []
    if unseen and not around.is_computed(target):
        return [_note(target, f"the call that gave {target.id} made a new tensor")]
    if around.is_parameter(target.id, target) and not around.is_rebound(target):
        raise Declined(
            f"the caller sees what is written to its argument {target.id}",
            "return the new tensor and bind it at the caller",
        )
    raise Declined(
        f"{target.id} may share storage with what is seen outside this function",
        "compute new tensors and return them",
    )


def _attribute(around: Surroundings, target: ast.Attribute, value: ast.expr) -> Form:
    others = [name for name, sharing in around.others(target).items() if sharing is not Sharing.UNDECIDED]
    if around.is_free(target):
        check_quiet(around, target)
        return Form("$0[:] = $1", (target, value))
    if others:
        raise Declined(
            f"{_listed(others)} may share the storage and is read later", "compute a new tensor and assign it to both"
        )
    return Form(
        "$0 = $1", (target, value), True, [_note(target, f"nothing else holds the tensor of {ast.unparse(target)}")]
    )


def _item(around: Surroundings, target: ast.Subscript, value: ast.expr, settled: frozenset[str]) -> Form:
    if any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in ast.walk(target.slice)):
        raise Declined("the index binds a name", "give the index a name first")
    kind = around.facts.kinds.of(target.value).kind
    if kind in (Kind.SEQUENCE, Kind.MAPPING):
        if around.is_free(target):
            return Form("$0[:] = $1", (target, value))
        box = next((n.id for n in ast.walk(target) if isinstance(n, ast.Name)), "")
        refuse_sharing(around, target, {n: s for n, s in around.others(target).items() if n != box})
        return Form("$0 = $1", (target, value), True, [_note(target, "nothing but this container holds the tensor")])
    if around.is_free(target):
        check_quiet(around, target.value)
        return Form("$0 = $1", (target, value), True)
    others = {n: s for n, s in around.others(target.value).items() if n not in settled}
    refuse_sharing(around, target.value, others)
    return Form("$0 = $1", (target, value), True)


def covers_later_axes(around: Surroundings, index: ast.expr) -> bool:
    """Whether a tuple index may take the whole tensor: only slices that are not surely partial, and no number."""
    if not isinstance(index, ast.Tuple) or is_partial(index):
        return False
    infos = [around.facts.kinds.of(part) for part in index.elts if not isinstance(part, (ast.Slice, ast.Constant))]
    return not any(i.kind is Kind.NUMBER and i.certain and not i.optional and i.dtype != "bool" for i in infos)


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
