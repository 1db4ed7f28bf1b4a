"""`**` arguments whose contents are known: `factory = {"device": device, "dtype": dtype}`, then `nn.Linear(3, 4, **factory)`."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.nodes import walk
from torch2ms.edits import Edit, Replace
from torch2ms.rules.signature import Bound
from torch2ms.rules.site import Site
from torch2ms.rules.target import PLACEMENT, Target


def unplaced(site: Site, bound: Bound, target: Target) -> Iterator[Edit]:
    """Edits that take devices out of dictionaries which the call unpacks and which only serve to be unpacked."""
    for keyword in bound.keywords:
        if keyword.arg is None and isinstance(keyword.value, ast.Name):
            for literal in _literals(site, keyword.value):
                edit = _without_placement(literal)
                if edit is not None and not PLACEMENT & target.used:
                    yield edit


def _literals(site: Site, name: ast.Name) -> Iterator[ast.Dict | ast.Call]:
    """The dictionaries that a name may stand for, if every other use of it is an unpacking."""
    binder = site.facts.names.binder(name)
    if binder is None:
        return
    found: list[ast.Dict | ast.Call] = []
    for node in binder.bindings.get(name.id, ()):
        above = site.facts.parent(node)
        if not isinstance(above, ast.Assign) or above.targets != [node] or not _is_literal(above.value):
            return
        assert isinstance(above.value, (ast.Dict, ast.Call))
        found.append(above.value)
    function = site.facts.function(name)
    for other in walk(function):
        if isinstance(other, ast.Name) and other.id == name.id and isinstance(other.ctx, ast.Load) and not _unpacked(site, other):
            return
    yield from found


def _is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Dict(keys=keys):
            return all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys)
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            return all(k.arg for k in keywords)
    return False


def _unpacked(site: Site, name: ast.Name) -> bool:
    above = site.facts.parent(name)
    if isinstance(above, ast.keyword):
        return above.arg is None
    return isinstance(above, ast.Dict) and any(k is None and v is name for k, v in zip(above.keys, above.values))


def _without_placement(literal: ast.Dict | ast.Call) -> Edit | None:
    if isinstance(literal, ast.Dict):
        pairs = [(str(k.value), v) for k, v in zip(literal.keys, literal.values) if isinstance(k, ast.Constant)]
    else:
        pairs = [(k.arg or "", k.value) for k in literal.keywords]
    kept = [(k, v) for k, v in pairs if k not in PLACEMENT]
    if len(kept) == len(pairs):
        return None
    shown = [f'"{k}": ${i}' if isinstance(literal, ast.Dict) else f"{k}=${i}" for i, (k, _) in enumerate(kept)]
    text = "{" + ", ".join(shown) + "}" if isinstance(literal, ast.Dict) else f"dict({', '.join(shown)})"
    return Replace(literal, text, tuple(v for _, v in kept))
