"""`nn.Module` becomes `nn.Cell`: `forward` is `construct`, a `train` override is `set_train`, names that Cell needs give way.

https://www.mindspore.cn/docs/en/master/api_python/nn/mindspore.nn.Cell.html
"""
from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.methods import is_super
from torch2ms.analysis.nodes import walk
from torch2ms.analysis.project import ProjectFacts
from torch2ms.analysis.summary import REGISTERING, registered_name
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Edit, Insert, New, Provenance, Rename, Replace
from torch2ms.resolve import is_converted
from torch2ms.transforms.cell_names import RESERVED

# what may be in a checkpoint
_STORED = (Kind.MODULE, Kind.PARAMETER, Kind.UNKNOWN)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class ModuleClasses:
    """The classes of a project that are modules or are mixed into modules."""

    def __init__(self, project: ProjectFacts) -> None:
        self._project = project

    @cached_property
    def names(self) -> frozenset[str]:
        """Their qualified names."""
        found: set[str] = set()
        for name in self._project.classes:
            if self._project.is_module(name):
                found.update(base for base in self._project.bases(name) if base in self._project.classes)
        return frozenset(found)

    @cached_property
    def foreign_methods(self) -> frozenset[str]:
        """The methods that classes of the project have which are no modules."""
        return frozenset(m for name, facts in self._project.classes.items() if name not in self.names for m in facts.methods)

    def reserved(self, name: str) -> frozenset[str]:
        """The attributes and methods of a class, its bases included, that would hide something of Cell."""
        found: set[str] = set()
        for base in self._project.bases(name):
            facts = self._project.classes.get(base)
            if facts is not None and base in self.names:
                found |= RESERVED & {*facts.assigned, *facts.methods, *facts.fields}
        return frozenset(found)


    def overrides_train(self, name: str) -> bool:
        """Whether the class or one of its bases replaces `Module.train(mode)`; a method that trains a model is something else."""
        for base in self._project.bases(name):
            facts = self._project.classes.get(base)
            if facts is not None and "train" in facts.methods:
                function = self._project.functions.get(f"{base}.train")
                return function is None or len(function.parameters) <= 2
        return False


_latest: list[tuple[ProjectFacts, ModuleClasses]] = []


def module_classes(project: ProjectFacts) -> ModuleClasses:
    """The module classes of a project; remembered, as all files of a run share one project."""
    if not _latest or _latest[0][0] is not project:
        _latest[:] = [(project, ModuleClasses(project))]
    return _latest[0][1]


class Module:
    """Definitions and uses of modules."""

    name = "module"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each definition that changes its name and for each use of such a name."""
        classes = module_classes(facts.project)
        if not classes.names and "forward" not in facts.source.text:
            return
        for node in facts.names.parents:
            if type(node) is ast.ClassDef and not facts.skipped(node):
                name = facts.names.qualified(node)
                if name in classes.names:
                    yield from _definition(facts, classes, node, name)
            elif type(node) is ast.Attribute and not facts.skipped(node):
                yield from _use(facts, classes, node)
            elif type(node) is ast.Constant and node.value in RESERVED and not facts.skipped(node):
                yield from _written_name(facts, classes, node, str(node.value))


def _definition(facts: Facts, classes: ModuleClasses, node: ast.ClassDef, name: str) -> Iterator[Claim]:
    """The methods and class attributes of a module class."""
    reserved = classes.reserved(name)
    keys = _renamed_keys(facts, node, reserved) if reserved else {}
    if keys:
        first = node.body[0]
        is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        insert = Insert(first, "after" if is_docstring else "before", (New(f"checkpoint_names = {keys}"),))
        yield Claim("module", (), (insert,), provenance=None)
    for binding, nodes in facts.names.table.scope_of[node].bindings.items():
        new = _new_name(binding, reserved, classes.overrides_train(name))
        for bound in nodes if new else ():
            edits: list[Edit] = []
            if isinstance(bound, (ast.FunctionDef, ast.AsyncFunctionDef)):
                edits = [Rename(bound, new or ""), *(_self_parameter(facts, bound) if new == "construct" else ())]
            elif isinstance(bound, ast.Name):
                edits = [Replace(bound, new or "")]
            if edits:
                yield Claim("module", tuple(e.node for e in edits if isinstance(e, Replace)), tuple(edits))


def _renamed_keys(facts: Facts, node: ast.ClassDef, reserved: frozenset[str]) -> dict[str, str]:
    """The renamed attributes that a checkpoint may list, with the names that they have there."""
    found: dict[str, str] = {}
    for inner in walk(node):
        if isinstance(inner, ast.Call):
            name = registered_name(inner)
            if name is not None and name.value in reserved:
                found[f"{name.value}_"] = str(name.value)
        elif isinstance(inner, ast.Attribute) and inner.attr in reserved and isinstance(inner.ctx, ast.Store):
            statement = facts.parent(inner)
            value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            if isinstance(inner.value, ast.Name) and (value is None or facts.kinds.of(value).kind in _STORED):
                found[f"{inner.attr}_"] = inner.attr
    return found


def _new_name(name: str, reserved: frozenset[str], train: bool) -> str | None:
    """What an attribute of a module is called in a Cell; None where it keeps its name."""
    if name == "forward":
        return "construct"
    if name == "train":
        return "set_train" if train else None
    if name == "extra_repr":
        return "extend_repr"
    return f"{name}_" if name in reserved else None


def _self_parameter(facts: Facts, function: _Function) -> Iterator[Edit]:
    """MindSpore wants the first parameter of `construct` to be called self."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    if not parameters or parameters[0].arg == "self":
        return
    old, scope = parameters[0].arg, facts.names.table.scope_of[function]
    if "self" in scope.bindings:
        return
    yield Rename(parameters[0], "self")
    for node, owner in facts.names.table.scope_of.items():
        if isinstance(node, ast.Name) and node.id == old and owner.binder(old) is scope:
            yield Replace(node, "self")


def _use(facts: Facts, classes: ModuleClasses, node: ast.Attribute) -> Iterator[Claim]:
    """`net.forward`, `super().train`, `self.cells` where the name has changed."""
    if node.attr not in RESERVED and node.attr not in ("forward", "train", "extra_repr", "eval"):
        return
    owners = _owners(facts, classes, node.value)
    provenance = Provenance.PROVEN
    if owners is None:
        if node.attr != "forward" or "forward" in classes.foreign_methods or not _is_bound(facts, node) or is_converted(facts):
            return
        provenance = Provenance.ONE_NAME
        owners = ()
    new = _new_name(node.attr, frozenset().union(*map(classes.reserved, owners)), any(map(classes.overrides_train, owners)))
    if node.attr in ("train", "eval") and is_super(node.value):
        yield from _mode_of_super(node, facts.parent(node))
    elif new is not None and node.attr != "extra_repr" or new is not None and owners:
        yield Claim("module", (node,), (Replace(node, f"$0.{new}", (node.value,)),), provenance=provenance)


def _written_name(facts: Facts, classes: ModuleClasses, node: ast.Constant, written: str) -> Iterator[Claim]:
    """`self.register_buffer("phase", ...)`, `getattr(net, "cells")`: the name of a renamed attribute as text."""
    match facts.parent(node):
        case ast.Call(func=ast.Attribute(owner, method), args=[first, *_]) if first is node and method in REGISTERING:
            pass
        case ast.Call(func=ast.Name("getattr" | "setattr" | "hasattr" | "delattr"), args=[owner, second, *_]) if second is node:
            pass
        case _:
            return
    owners = _owners(facts, classes, owner) or ()
    if any(written in classes.reserved(name) for name in owners):
        quote = (facts.source.segment(node) or '"')[-1]
        yield Claim("module", (node,), (Replace(node, f"{quote}{written}_{quote}"),), provenance=None)


def _mode_of_super(node: ast.Attribute, call: ast.AST | None) -> Iterator[Claim]:
    """`super().train(mode)` and `super().eval()` inside overrides."""
    if node.attr == "train":
        yield Claim("module", (node,), (Replace(node, "$0.set_train", (node.value,)),))
    elif isinstance(call, ast.Call) and call.func is node:
        yield Claim("module", (call,), (Replace(call, "$0.set_train(False)", (node.value,)),))


def _is_bound(facts: Facts, node: ast.Attribute) -> bool:
    """Whether an object of unknown kind, rather than a module or class, stands before the dot."""
    info = facts.kinds.of(node.value)
    return not info.known and facts.names.of(node.value) is None


def _owners(facts: Facts, classes: ModuleClasses, value: ast.expr) -> tuple[str, ...] | None:
    """The module classes that an object with attributes can be of; None where it is no module or unknown."""
    if is_super(value):
        return _enclosing(facts, classes, value, bases=True)
    name = facts.names.of(value)
    if name is not None:
        return (name,) if name in classes.names or facts.project.is_module(name) else None
    if isinstance(value, ast.Name) and _is_self(facts, value):
        return _enclosing(facts, classes, value, bases=False)
    info = facts.kinds.of(value)
    return info.classes if info.known and info.kind is Kind.MODULE else None


def _is_self(facts: Facts, name: ast.Name) -> bool:
    """Whether a Name is the first parameter of the method around it."""
    binder = facts.names.binder(name)
    function = binder.node if binder else None
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) or not isinstance(facts.parent(function), ast.ClassDef):
        return False
    parameters = [*function.args.posonlyargs, *function.args.args]
    return bool(parameters) and parameters[0].arg == name.id


def _enclosing(facts: Facts, classes: ModuleClasses, node: ast.AST, bases: bool) -> tuple[str, ...] | None:
    """The class around a place, if it is a module class; with `bases` those that `super()` can mean."""
    around = facts.enclosing_class(node)
    name = facts.names.qualified(around) if around is not None else ""
    if name not in classes.names:
        return None
    return tuple(list(facts.project.bases(name))[1:]) if bases else (name,)


TRANSFORM = Module()
