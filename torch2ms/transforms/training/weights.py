"""What value_and_grad is asked the gradients of."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.callees import Callees, asks_for_gradient, assigned_value, made_leaf
from torch2ms.transforms.training.events import Event
from torch2ms.transforms.training.gradients import Group
from torch2ms.transforms.training.owners import Holding, Owners
from torch2ms.transforms.training.pools import contains
from torch2ms.transforms.training.region import Region
from torch2ms.transforms.training.tree import Function, own_nodes


@dataclass(frozen=True, slots=True)
class Weights:
    """`template` over `parts` gives the parameters; `own`: exactly those of the one optimizer that steps."""

    template: str
    parts: tuple[ast.expr, ...]
    own: bool = False
    literal: bool = False  # short enough to be written wherever it is used


def of_group(owners: Owners, group: Group, events: list[Event]) -> Weights | None:
    """The parameters of a group's optimizers and clipped sets; None where their relation cannot be seen."""
    optimizers = [pool.owner for pool in group.optimizers if pool.owner is not None]
    total = union([pool.holding for pool in group.optimizers])
    used = [events[i].owner for i in group.clips]
    if group.manual is not None and group.manual.iterable is not None:
        used.append(group.manual.iterable)
    sets = [owners.parameters(expr) for expr in used]
    if (
        optimizers
        and group.manual is None
        and all(total is not None and s is not None and _same(s, total) for s in sets)
    ):
        if len(optimizers) == 1:
            return Weights("$0.parameters", (optimizers[0],), own=True)
        return Weights(f"({', '.join(f'*${i}.parameters' for i in range(len(optimizers)))})", tuple(optimizers))
    if names := group.manual.names if group.manual is not None else ():
        # a step or a clipping beside the reads needs the gradients of its parameters, too
        return None if optimizers or used else Weights(_tuple([f"${i}" for i in range(len(names))]), names, literal=True)
    if len({ast.dump(expr) for expr in used}) != 1 or optimizers and not contains(sets[0], total):
        return None
    return _of_set(owners.facts, used[0])


def _of_set(facts: Facts, expr: ast.expr) -> Weights:
    """A set of parameters as the source spells it; its parts, not itself, as the loop over it may be rewritten."""
    if isinstance(expr, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in expr.elts):
        return Weights(_tuple([f"${i}" for i in range(len(expr.elts))]), tuple(expr.elts), literal=True)
    if isinstance(expr, ast.Name):
        return Weights("$0", (expr,), literal=True)
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr == "parameters":
        module = expr.func.value
        info = facts.kinds.of(module)
        # as for a call of the method: a class that is known has it, any other module may be a bare layer of MindSpore
        own = dotted(module) == "self" or info.certain and info.cls is not None
        return Weights("tuple($0.parameters())" if own else "tuple($nn.parameters($0))", (module,))
    return Weights("tuple($0)", (expr,))


def _tuple(pieces: list[str]) -> str:
    return f"({', '.join(pieces)}{',' if len(pieces) == 1 else ''})"


def of_slots(owners: Owners, group: Group, events: list[Event]) -> Weights | None:
    """The union of all sets that matter to gradients that go into `.grad`; None where no optimizer is here."""
    if not group.optimizers:
        return None
    known = of_group(owners, group, events)
    if known is not None:
        return known
    parts = [pool.owner for pool in group.optimizers if pool.owner is not None]
    pieces = [f"*${i}.parameters" for i in range(len(parts))]
    for name in group.manual.names if group.manual is not None else ():
        pieces.append(f"${len(parts)}")
        parts.append(name)
    sets = [events[index].owner for index in group.clips]
    if group.manual is not None and group.manual.iterable is not None:
        sets.append(group.manual.iterable)
    for one in {ast.dump(one): one for one in reversed(sets)}.values():
        pieces.append(f"*${len(parts)}")
        parts.append(one)
    return Weights(_tuple(pieces), tuple(parts))


def union(held: list[Holding | None]) -> Holding | None:
    """What several optimizers hold together; None where that of one cannot be seen, or where there is none."""
    if not held or None in held:
        return None
    total = held[0]
    for one in held[1:]:
        total = total | one  # type: ignore[operator]
    return total


def _same(a: Holding, b: Holding) -> bool:
    return a.roots == b.roots and a.whole and b.whole


class Sources:
    """Finds the modules and free tensors whose weights a region uses, for a backward without an optimizer in sight."""

    def __init__(self, facts: Facts, callees: Callees) -> None:
        self.facts = facts
        self.callees = callees

    def roots(self, stmts: list[ast.stmt], loss: ast.expr | None) -> dict[str, ast.expr] | None:
        """Paths and nodes of all of them; None where a call may bring in others."""
        found: dict[str, ast.expr] = {}
        for node in (*stmts, *([loss] if loss is not None else [])):
            if not self._collect(node, found, ()):
                return None
        return found

    def known(self, stmts: list[ast.stmt], loss: ast.expr | None) -> dict[str, ast.expr] | None:
        """Those of them that can be named, unknown calls left aside; None where a tensor asks for its gradient that cannot be."""
        found: dict[str, ast.expr] = {}
        for node in (*stmts, *([loss] if loss is not None else [])):
            for part in own_nodes(node):
                if not self._part(part, found, (), True):
                    if not isinstance(part, ast.Call) or asks_for_gradient(part):
                        return None
        return found

    def of_region(
        self, region: Region, leaves: frozenset[str], handed: list[ast.stmt], here: bool = False
    ) -> Weights | None:
        """All of them as a set, the tensors among `leaves` that the region reads too; None where a call may bring in others.

        `handed` are statements of a caller that belong to the region, or such from `here`, before it.
        """
        found = self.roots(region.stmts, region.site.owner)
        outer = self.roots(handed, None)
        if found is None or outer is None and here:
            return None
        outer = outer or {}
        if not here and any(not where.startswith("self.") for where in outer):
            return None
        found.update(outer)
        for node in (*region.stmts, region.site.owner):
            for part in own_nodes(node):
                where = dotted(part) if isinstance(part, (ast.Name, ast.Attribute)) else None
                if found is not None and where in leaves:
                    assert isinstance(part, (ast.Name, ast.Attribute))
                    found.setdefault(where or "", part)
        if not found:
            return None
        pieces: list[str] = []
        parts: list[ast.expr] = []
        for node in found.values():
            tensor = dotted(node) in leaves or self._is_tensor(node)
            pieces.append(f"${len(parts)}" if tensor else f"*${len(parts)}.parameters()")
            parts.append(node)
        if len(pieces) == 1 and pieces[0].startswith("*"):
            return Weights("tuple($0.parameters())", tuple(parts))
        return Weights(_tuple(pieces), tuple(parts))

    def _is_tensor(self, node: ast.expr) -> bool:
        return self.facts.kinds.of(node).kind in (Kind.TENSOR, Kind.PARAMETER) or made_leaf(self.facts, node)

    def _collect(self, node: ast.AST, found: dict[str, ast.expr], open_: tuple[Function, ...]) -> bool:
        return all(self._part(part, found, open_, True) for part in own_nodes(node))

    def _part(
        self,
        part: ast.AST,
        found: dict[str, ast.expr],
        open_: tuple[Function, ...],
        tensors: bool,
        given: frozenset[str] = frozenset(),
    ) -> bool:
        """One node: a call that may bring weights, or with `tensors` a parameter that is not among those `given`."""
        if isinstance(part, ast.Call):
            return not self._counts(part) or self._call(part, found, open_)
        if not tensors or not isinstance(part, (ast.Name, ast.Attribute)) or not isinstance(part.ctx, ast.Load):
            return True
        if dotted(part) in given or not self._is_weight(part):
            return True
        listed = self._listed_modules(part)
        if listed is None or open_ and any(not self._is_shared(one) for one in listed or [part]):
            return False
        for one in listed or [part]:
            found.setdefault(dotted(one) or "", one)
        return True

    def _is_weight(self, node: ast.expr) -> bool:
        return self.facts.kinds.of(node).kind is Kind.PARAMETER or made_leaf(self.facts, node)

    def _listed_modules(self, node: ast.expr) -> list[ast.expr] | None:
        """The modules over whose parameters a variable runs; empty for any other name, None where they cannot be named."""
        scope = self.facts.names.binder(node) if isinstance(node, ast.Name) else None
        found: list[ast.expr] = []
        for target in scope.bindings.get(node.id, []) if scope and isinstance(node, ast.Name) else []:
            loop = self.facts.parent(target)
            while isinstance(loop, (ast.Tuple, ast.List)):
                loop = self.facts.parent(loop)
            if not isinstance(loop, (ast.For, ast.comprehension)):
                continue
            match loop.iter:
                case ast.Call(func=ast.Attribute(value=module, attr="parameters" | "named_parameters")) if dotted(
                    module
                ):
                    found.append(module)
                case _:
                    return None
        return found

    def _counts(self, call: ast.Call) -> bool:
        """Whether a call may use weights: for its result, or as a method for what it leaves on self."""
        method = isinstance(call.func, ast.Attribute) and self.callees.definition(call) is not None
        return method or self.callees.effect(call).brings

    def _call(self, call: ast.Call, found: dict[str, ast.expr], open_: tuple[Function, ...]) -> bool:
        given = self.callees.modules_given(call)
        if given and self.facts.names.of(call.func) is not None:
            if open_ or any(dotted(module) is None for module in given):
                return False
            found.update({dotted(module) or "": module for module in given})
            return True
        target = self.callees.definition(call)
        if isinstance(target, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return target in open_ or self._through(call, target, found, open_)
        body = self._lambda(call.func)
        if body is not None:
            return all(self._collect(part, found, open_) for part in (body, *call.args))
        func = call.func
        module = (
            func.value
            if isinstance(func, ast.Attribute) and self.facts.kinds.of(func).kind is not Kind.MODULE
            else func
        )
        where = dotted(module)
        if (
            where is None
            or self.facts.kinds.of(module).kind is not Kind.MODULE
            or open_
            and not self._is_shared(module)
        ):
            return False
        found.setdefault(where, module)
        return True

    def _lambda(self, func: ast.expr) -> ast.expr | None:
        """The body of a lambda that a local name stands for."""
        scope = self.facts.names.binder(func) if isinstance(func, ast.Name) else None
        nodes = scope.bindings.get(func.id, []) if scope and isinstance(func, ast.Name) else []
        value = assigned_value(self.facts, nodes[0]) if len(nodes) == 1 else None
        return value.body if isinstance(value, ast.Lambda) else None

    def _through(
        self, call: ast.Call, target: Function, found: dict[str, ast.expr], open_: tuple[Function, ...]
    ) -> bool:
        """A function of this file, or a method of self: modules that it is given, and those that it uses otherwise."""
        method = isinstance(call.func, ast.Attribute)
        names = [a.arg for a in (*target.args.posonlyargs, *target.args.args)]
        given = dict(zip(names[1:] if method else names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        inner: dict[str, ast.expr] = {}
        for stmt in target.body:
            for part in own_nodes(stmt):
                name = dotted(part.func) if isinstance(part, ast.Call) else None
                if name in given and isinstance(part, ast.Call):
                    if open_ and not self._is_shared(given[name]):
                        return False
                    inner.setdefault(dotted(given[name]) or "", given[name])
                elif not self._part(part, inner, (*open_, target), method, frozenset(given)):
                    return False
        if "" in inner:
            return False
        for where, node in inner.items():
            found.setdefault(where, node)
        return True

    def _is_shared(self, node: ast.expr) -> bool:
        """Whether a module inside a function is the same outside: a global one, or one of self."""
        if (dotted(node) or "").startswith("self."):
            return True
        return isinstance(node, ast.Name) and not self.facts.names.is_local(node)
