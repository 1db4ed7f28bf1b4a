"""Where a write by an index goes through a view that has no name, or may go through one that has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.aliases.operations import PERHAPS_VIEWS, VIEWS
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.edits import Claim, Replace
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
    """Have a cast that is written later give the tensor itself where PyTorch's does; MindSpore's copies what is a view."""
    if not isinstance(target, ast.Name):
        return
    made = around.facts.aliases(around.facts.function(target)).bindings(target)
    for stmt in made:
        casts = list(_casts_of_views(around, stmt.value)) if isinstance(stmt, ast.Assign) else []
        if not casts:
            continue
        others = around.others(target).values()
        if any(s is not Sharing.UNDECIDED for s in others) or around.seen_outside(target) is not Sharing.NO:
            if not all(map(_is_plain, casts)):
                raise Declined(
                    f"{target.id} may be the tensor itself or a copy, by its type, and others hold that tensor",
                    "copy the tensor, or leave out the conversion",
                )
            around.written_casts.update(dict.fromkeys(casts))


def is_cast(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether an expression casts a variable or an attribute, so that it can stand twice in what takes its place."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr=name), args=args) if name in _COPYING_VIEWS:
            return _is_plain(node) and all(isinstance(a, (ast.Name, ast.Attribute, ast.Constant)) for a in args)
    return False


def _is_plain(cast: ast.Call) -> bool:
    """Whether the runtime has a function with the meaning of the method, for the arguments at hand."""
    assert isinstance(cast.func, ast.Attribute)
    return cast.func.attr != "reshape_as" and not any(k.arg is None for k in cast.keywords)


def kept_cast(cast: ast.Call) -> Claim:
    """The cast as the function of the runtime that gives the tensor itself where nothing has to change."""
    assert isinstance(cast.func, ast.Attribute)
    parts = [cast.func.value, *cast.args]
    slots = [f"${i}" for i in range(len(parts))]
    for keyword in cast.keywords:
        slots.append(f"{keyword.arg}=${len(parts)}")
        parts.append(keyword.value)
    text = f"$tensor.{cast.func.attr}({', '.join(slots)})"
    return Claim("inplace", (cast, cast.func), (Replace(cast, text, tuple(parts)),), provenance=None)


def _casts_of_views(around: Surroundings, value: ast.expr) -> Iterator[ast.Call]:
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _COPYING_VIEWS:
            if may_be_view(around, node.func.value) or _is_written(around, node.func.value):
                yield node


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
