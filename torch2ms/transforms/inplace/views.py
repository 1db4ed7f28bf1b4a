"""Where a write by an index goes through a view that has no name, or may go through one that has."""

from __future__ import annotations

import ast

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.aliases.operations import PERHAPS_VIEWS, VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.transforms.inplace.surroundings import Surroundings
from torch2ms.transforms.inplace.values import Declined


def written_through(around: Surroundings, target: ast.Subscript) -> bool:
    """Whether `view[i]` inside a gradient writes through a view without a name: MindSpore would lose it."""
    if around.is_free(target) or isinstance(target.value, (ast.Name, ast.Attribute)):
        return False
    return around.facts.kinds.of(target.value).kind in TENSOR_KINDS


def may_be_view(around: Surroundings, target: ast.expr) -> bool:
    """Whether a tensor may be a view of another one, as far as the function tells."""
    if around.is_leaf(target):
        return False
    if not isinstance(target, ast.Name):
        return True
    made = around.facts.aliases(around.facts.function(target)).bindings(target)
    return not made or not all(isinstance(s, ast.Assign) and _owns(around, s, target.id) for s in made)


def _owns(around: Surroundings, stmt: ast.Assign, name: str) -> bool:
    """Whether the assignment gives the name a tensor with a storage of its own."""
    if not all(isinstance(t, ast.Name) for t in stmt.targets):
        return False
    value = stmt.value
    info = around.facts.kinds.of(value)
    if info.kind not in TENSOR_KINDS or not info.certain:
        return False
    if isinstance(value, ast.Call):
        called = around.facts.names.of(value.func)
        last = value.func.attr if isinstance(value.func, ast.Attribute) else (called or "").rpartition(".")[2]
        known = called is not None and called.startswith("torch.") or called is None and _is_method(around, value)
        inplace = any(k.arg in ("inplace", "out") for k in value.keywords)
        return known and last not in VIEWS and last not in PERHAPS_VIEWS and not last.endswith("_") and not inplace
    return isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Compare))


def _is_method(around: Surroundings, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    info = around.facts.kinds.of(call.func.value)
    return info.kind in TENSOR_KINDS and info.certain


# PyTorch gives the tensor itself where nothing has to change, MindSpore copies what is a view
_COPYING_VIEWS = frozenset(
    "to type float double half bfloat16 long int short byte char bool contiguous reshape_as".split()
)


def check_cast(around: Surroundings, target: ast.expr) -> None:
    """Decline a write to the cast of a view that others may see: PyTorch may share the storage, MindSpore never does."""
    if not isinstance(target, ast.Name):
        return
    made = around.facts.aliases(around.facts.function(target)).bindings(target)
    for stmt in made:
        if isinstance(stmt, ast.Assign) and _casts_view(around, stmt.value):
            others = around.others(target).values()
            if any(s is not Sharing.UNDECIDED for s in others) or around.seen_outside(target) is not Sharing.NO:
                raise Declined(
                    f"{target.id} may be the tensor itself or a copy, by its type, and others hold that tensor",
                    "copy the tensor, or leave out the conversion",
                )


def _casts_view(around: Surroundings, value: ast.expr) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _COPYING_VIEWS:
            if may_be_view(around, node.func.value) or _is_written(around, node.func.value):
                return True
    return False


def _is_written(around: Surroundings, tensor: ast.expr) -> bool:
    """Whether the function writes into the tensor: MindSpore treats it as a view from then on."""
    aliases = around.facts.aliases(around.facts.function(tensor))
    held = aliases.origins(tensor)
    return any(held & aliases.origins(w.target) for w in aliases.writes)


def as_value(index: ast.expr, first: int) -> tuple[str, list[ast.expr]]:
    """An index as an argument of a call: its template, with slots from `first` on, and their parts."""
    if isinstance(index, ast.Tuple):
        shown: list[str] = []
        parts: list[ast.expr] = []
        for element in index.elts:
            text, more = as_value(element, first + len(parts))
            shown.append(text)
            parts += more
        return f"({', '.join(shown)},)" if len(shown) == 1 else f"({', '.join(shown)})", parts
    if isinstance(index, ast.Slice):
        shown, parts = [], []
        for bound in (index.lower, index.upper, index.step):
            shown.append("None" if bound is None else f"${first + len(parts)}")
            parts += [] if bound is None else [bound]
        return f"slice({', '.join(shown)})", parts
    return f"${first}", [index]
