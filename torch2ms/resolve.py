"""Which API of PyTorch an expression uses, and how sure that is."""
from __future__ import annotations

import ast

from torch2ms.analysis.canonical import is_own, is_replaced, is_torch
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.edits import Provenance
from torch2ms.rules import Site, knows, method_sites
from torch2ms.rules.methods import OWNERS
from torch2ms.source import Span

_OWNER_OF = {kind: owner for owner, kind in OWNERS.items()} | {"PARAMETER": "torch.Tensor"}


def site_of(facts: Facts, node: ast.expr) -> Site | None:
    """The site of a call, or of a name or attribute that stands for a value; None for what is not PyTorch's."""
    func = node.func if isinstance(node, ast.Call) else node
    name = facts.names.of(func)
    if name is not None:
        ours = knows(name) if is_own(name) else is_torch(name) or is_replaced(name) and not is_free_of_torch(facts)
        return Site(name, node, Span.of(node), Provenance.PROVEN, None, facts) if ours else None
    if not isinstance(func, ast.Attribute):
        return None
    base = _layer_above(facts, node) if func.attr == "__init__" else None
    if base is not None:
        return Site(base, node, Span.of(node), Provenance.PROVEN, None, facts)
    info = facts.kinds.of(func.value)
    # an array has no method that PyTorch alone has: what gave the array was not all that reaches this place
    mistaken = info.kind is Kind.NDARRAY and not is_converted(facts) and method_sites(func.attr).one_name
    if info.known and not mistaken:
        found: tuple[str | None, Provenance] | None = _method(facts, info.kind.name, info.classes, func.attr), Provenance.PROVEN
    else:
        found = None if is_converted(facts) else _by_name(func.attr)
    if found is None or found[0] is None:
        return None
    return Site(found[0], node, Span.of(node), found[1], func.value, facts)


def _layer_above(facts: Facts, node: ast.expr) -> str | None:
    """The layer of PyTorch whose constructor `super().__init__(...)` runs."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))) if node.args or node.keywords:
            cls = facts.enclosing_class(node)
            base = facts.names.of(cls.bases[0]) if cls is not None and cls.bases else None
            layer = base is not None and base.startswith("torch.nn.") and base != "torch.nn.Module" and knows(base)
            return base if layer else None
    return None


def is_converted(facts: Facts) -> bool:
    """Whether the file is MindSpore code already; there the name of a method says nothing about PyTorch."""
    roots = ("mindspore", facts.options.runtime_package.partition(".")[0])
    return any(binding.module.partition(".")[0] in roots for binding in facts.names.imports)


def is_free_of_torch(facts: Facts) -> bool:
    """Whether the file imports nothing of PyTorch, under whatever name."""
    return not any(is_torch(binding.target) or is_torch(binding.module) for binding in facts.names.imports)


def _method(facts: Facts, kind: str, classes: tuple[str, ...], attr: str) -> str | None:
    """The canonical name of a method or attribute of an object of a known kind."""
    project = facts.project
    if any(project.method(cls, attr) is not None or project.attribute(cls, attr) is not None for cls in classes):
        return None
    for cls in classes:
        for base in project.bases(cls):
            if is_torch(base) and knows(f"{base}.{attr}"):
                return f"{base}.{attr}"
    owner = _OWNER_OF.get(kind)
    return f"{owner}.{attr}" if owner and knows(f"{owner}.{attr}") else None


def _by_name(attr: str) -> tuple[str, Provenance] | None:
    """What the name of a method tells where the receiver is unknown."""
    method = method_sites(attr)
    if not method.owners:
        return None
    if method.one_name:
        return f"{method.owners[0]}.{attr}", Provenance.ONE_NAME
    return (f"torch.Tensor.{attr}", Provenance.GUARDED) if method.guarded else None
