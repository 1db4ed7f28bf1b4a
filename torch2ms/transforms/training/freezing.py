"""Parameters that are frozen, or thawed, between a forward and its backward.

PyTorch decides at the forward whether a parameter is in the graph, MindSpore asks again at the backward.
"""

from __future__ import annotations

import ast

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.callees import asks_for_gradient
from torch2ms.transforms.training.owners import Owners
from torch2ms.transforms.training.pools import overlap
from torch2ms.transforms.training.region import Region, Regions
from torch2ms.transforms.training.tree import Layout, own_nodes
from torch2ms.transforms.training.weights import Sources


def frozen_between(
    facts: Facts, layout: Layout, regions: Regions, region: Region, owners: Owners, sources: Sources
) -> bool:
    """Whether `requires_grad` is set on parameters that may already be in the graph of the backward of a region."""
    if "requires_grad" not in facts.source.text:
        return False
    site = region.site.stmt
    wanted = regions.flow.reads([*region.stmts, region.site.owner])
    loop = layout.loop(region.close)
    for stmt in layout.places:
        if hasattr(stmt, "body") or stmt.lineno >= site.lineno or loop is not None and loop not in layout.around(stmt):
            continue
        for target in _set_here(stmt):
            if not _may_be_weight(facts, owners, target):
                continue
            # the graph that exists already: what the backward needs and what carries gradient at this place
            carried = {path.partition(".")[0] for path in regions.carriers.before[stmt]}
            if not carried & wanted & regions.flow.live_out([stmt]):
                continue
            made = [s for s in layout.places if not hasattr(s, "body") and s.lineno < stmt.lineno]
            made = [
                s for s in made if (loop is None or loop in layout.around(s)) and regions.flow.writes([s]) & carried
            ]
            used = sources.roots(made, None)
            frozen = _modules(facts, layout, stmt, target, owners)
            if used is None or frozen is None:
                return True
            if overlap(frozen, frozenset(owners.path(node) or where for where, node in used.items())):
                return True
    return False


def own_leaves(facts: Facts, layout: Layout, owners: Owners) -> frozenset[str]:
    """The tensors that ask for a gradient of their own after they were made: `x.requires_grad = True`."""
    if ".requires_grad" not in facts.source.text:
        return frozenset()
    simple = (stmt for stmt in layout.places if isinstance(stmt, (ast.Assign, ast.Expr)))
    found = (target for stmt in simple for target in _set_here(stmt))
    return frozenset(t.id for t in found if isinstance(t, ast.Name) and not _may_be_weight(facts, owners, t))


def contained_leaf(facts: Facts, stmts: list[ast.stmt]) -> bool:
    """Whether a tensor that asks for a gradient is made inside a container: `pair = (torch.zeros(3, requires_grad=True), y)`."""
    if ".grad" not in facts.source.text:
        return False
    return any(
        isinstance(node, ast.Call) and asks_for_gradient(node) and _is_contained(facts, node)
        for stmt in stmts
        for node in own_nodes(stmt)
    )


def _is_contained(facts: Facts, call: ast.Call) -> bool:
    node: ast.AST = call
    above = facts.parent(node)
    while isinstance(above, (ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.Starred)):
        node, above = above, facts.parent(above)
    return node is not call and isinstance(above, (ast.Assign, ast.AnnAssign))


def _set_here(stmt: ast.stmt) -> list[ast.expr]:
    """The objects whose `requires_grad` a statement sets: parameters, or a module by `requires_grad_`."""
    found = []
    for node in own_nodes(stmt):
        match node:
            case ast.Attribute(value=target, attr="requires_grad", ctx=ast.Store()):
                found.append(target)
            case ast.Call(func=ast.Attribute(value=target, attr="requires_grad_")) if isinstance(stmt, ast.Expr):
                if stmt.value is node:
                    found.append(target)
    return found


def _may_be_weight(facts: Facts, owners: Owners, target: ast.expr) -> bool:
    """Whether an object may be a module or its parameter, not a tensor of the loop: `x.requires_grad = True`."""
    if not isinstance(target, ast.Name) or facts.kinds.of(target).kind in (Kind.MODULE, Kind.PARAMETER):
        return True
    loops = [loop for loop in owners.loops_over(target) if isinstance(loop, (ast.For, ast.AsyncFor))]
    return any("parameters" in ast.unparse(loop.iter) for loop in loops) or not loops and not _is_made(facts, target)


def _is_made(facts: Facts, target: ast.Name) -> bool:
    """Whether every binding of a name is the result of a call or of arithmetic."""
    scope = facts.names.binder(target)
    stmts = [facts.parent(node) for node in (scope.bindings.get(target.id, []) if scope is not None else [])]
    return bool(stmts) and all(isinstance(s, ast.Assign) and isinstance(s.value, (ast.Call, ast.BinOp)) for s in stmts)


def _modules(facts: Facts, layout: Layout, stmt: ast.stmt, target: ast.expr, owners: Owners) -> frozenset[str] | None:
    """The modules whose parameters a target may be; None where that cannot be seen."""
    for loop in layout.around(stmt):
        if isinstance(loop, ast.For) and dotted(target) in {
            dotted(n) for n in ast.walk(loop.target) if isinstance(n, ast.Name)
        }:
            match loop.iter:
                case ast.Call(func=ast.Attribute(value=module, attr="parameters" | "named_parameters")):
                    where = owners.path(module)
                    return frozenset({where}) if where else None
            return None
    where = owners.path(target)
    return frozenset({where}) if where else None
