"""Calls between backward and step that may look at the gradients: they keep the gradients in their slots."""

from __future__ import annotations

import ast

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.callees import Callees
from torch2ms.transforms.training.events import Event
from torch2ms.transforms.training.tree import Layout, own_nodes


def looked_at(
    facts: Facts, callees: Callees, layout: Layout, events: list[Event], sites: list[int], uses: list[int]
) -> str:
    """A call between backward and step that is given the model, the optimizer or parameters."""
    first = min(events[i].stmt.lineno for i in sites)
    last = max((events[i].stmt.lineno for i in uses), default=first)
    own = {event.node for event in events}
    for stmt in layout.places:
        if not first <= stmt.lineno <= last or hasattr(stmt, "body"):
            continue
        for node in own_nodes(stmt):
            if isinstance(node, ast.Call) and node not in own and _may_look(facts, callees, node):
                return ast.unparse(node.func)
    return ""


def stepped_elsewhere(facts: Facts, callees: Callees, layout: Layout, events: list[Event]) -> str:
    """A call of a function of this file that uses or drops gradients and makes none of its own."""
    own = {event.node for event in events}
    for stmt in layout.places:
        if hasattr(stmt, "body"):
            continue
        for node in own_nodes(stmt):
            if isinstance(node, ast.Call) and node not in own and _takes(facts, callees, node, set()):
                return ast.unparse(node.func)
    return ""


def _classes(facts: Facts, func: ast.Attribute) -> list[str]:
    """The classes of the project whose method `object.method` may be."""
    project = facts.project
    if facts.names.of(func) is not None:
        return []
    cls = facts.kinds.of(func.value).cls
    if cls is None and _is_torch(facts, func):
        return []
    known = [cls, *project.subclasses(cls)] if cls is not None else list(project.classes)
    return [name for name in known if project.method(name, func.attr) is not None]


def _object_looks(facts: Facts, func: ast.Attribute) -> bool:
    """Whether a class that an object may be of has methods that use, drop or clip gradients; of self the method alone counts."""
    project = facts.project
    classes = _classes(facts, func)
    if isinstance(func.value, ast.Name) and func.value.id == "self":
        return any(one is not None and one.gradients for one in (project.method(cls, func.attr) for cls in classes))
    every = {one.name: one for cls in classes for base in project.bases(cls) if (one := project.classes.get(base))}
    methods = (project.method(name, method) for name, one in every.items() for method in one.methods)
    return any(method is not None and method.gradients for method in methods)


def _method_takes(facts: Facts, func: ast.expr) -> bool:
    """Whether the method of an object, in a class that it may be of, uses or drops gradients and makes none of its own."""
    if not isinstance(func, ast.Attribute):
        return False
    found = [facts.project.method(cls, func.attr) for cls in _classes(facts, func)]
    return any(one is not None and one.gradients and not one.backward for one in found)


def _takes(facts: Facts, callees: Callees, call: ast.Call, seen: set[ast.AST]) -> bool:
    target = callees.definition(call)
    if target is None:
        return _method_takes(facts, call.func)
    if not isinstance(target, (ast.FunctionDef, ast.AsyncFunctionDef)) or target in seen:
        return False
    seen.add(target)
    inside = [node for node in ast.walk(target) if isinstance(node, ast.Attribute)]
    if any(node.attr == "backward" for node in inside):
        return False
    optimizers = (Kind.OPTIMIZER, Kind.UNKNOWN, Kind.OTHER)
    for node in inside:
        if node.attr in ("zero_grad", "grad") and facts.names.of(node) is None:
            return True
        if node.attr == "step" and facts.kinds.of(node.value).kind in optimizers:
            return True
    return any(isinstance(n, ast.Call) and _takes(facts, callees, n, seen) for n in ast.walk(target))


def _may_look(facts: Facts, callees: Callees, call: ast.Call) -> bool:
    name = facts.names.of(call.func)
    if name is not None and name.partition(".")[0] in ("torch", "builtins", "numpy", "math"):
        return False
    target = callees.definition(call)
    if isinstance(target, (ast.FunctionDef, ast.AsyncFunctionDef)):
        text = facts.source.segment(target)
        return ".grad" in text or "clip_grad" in text
    if isinstance(call.func, ast.Attribute) and _object_looks(facts, call.func):
        return True
    kind = facts.kinds.of(call.func).kind
    if kind in (Kind.MODULE, Kind.MODULE_CLASS) or isinstance(call.func, ast.Attribute) and _is_torch(facts, call.func):
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    return any(_holds_parameters(facts, value) for value in given)


def _is_torch(facts: Facts, func: ast.Attribute) -> bool:
    known = (Kind.MODULE, Kind.OPTIMIZER, Kind.SCHEDULER, Kind.TENSOR, Kind.PARAMETER, Kind.SCALER)
    return facts.kinds.of(func.value).kind in known


def _holds_parameters(facts: Facts, value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in ("parameters", "named_parameters")
    return facts.kinds.of(value).kind in (Kind.MODULE, Kind.OPTIMIZER)
