"""Builds the cross-file facts of a project from its files."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from dataclasses import replace

from torch2ms.analysis.constructing import mark_constructing
from torch2ms.analysis.infer import Engine
from torch2ms.analysis.lattice import KindInfo, Origin, plain
from torch2ms.analysis.names import Names, resolve_names
from torch2ms.analysis.project import ClassFacts, FunctionFacts, ModuleFacts, ProjectFacts
from torch2ms.analysis.scope import Scope
from torch2ms.analysis.units import binding_of

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
# methods of a module that make an attribute whose name is their first argument
REGISTERING = frozenset("register_buffer register_parameter register_module add_module".split())
# attributes that use, drop or clip the gradients of parameters
_GRADIENTS = frozenset("grad zero_grad clip_grad_norm_ clip_grad_norm clip_grad_value_".split())
_PROPERTIES = ("builtins.property", "functools.cached_property", "abc.abstractproperty")


def outline(files: Mapping[str, tuple[str, ast.Module]]) -> tuple[ProjectFacts, list[Names]]:
    """Modules, classes and functions without kinds, and the names of each file."""
    project = ProjectFacts()
    for name, (path, _) in files.items():
        project.modules[name] = ModuleFacts(name, path, path.replace("\\", "/").rpartition("/")[2] == "__init__.py")
    linked = []
    for name, (_, tree) in files.items():
        alone = resolve_names(tree, name, None, project.modules[name].is_package)
        _namespace(project.modules[name], tree, alone)
        linked.append(alone)
    project.settle()
    linked = [names.linked(project) for names in linked]
    for names in linked:
        _definitions(project, names)
    project.settle()
    mark_constructing(project, linked)
    return project, linked


def extended(project: ProjectFacts, module: str, path: str, tree: ast.Module) -> tuple[ProjectFacts, Names]:
    """The project with one more module, without kinds, and that module's names; the project itself stays as it is."""
    wider = ProjectFacts(dict(project.modules), dict(project.classes), dict(project.functions))
    wider.habits = replace(project.habits)
    wider.modules[module] = ModuleFacts(module, path)
    alone = resolve_names(tree, module, None, False)
    _namespace(wider.modules[module], tree, alone)
    wider.settle()
    names = alone.linked(wider)
    _definitions(wider, names)
    wider.settle()
    return wider, names


def infer_project(project: ProjectFacts, files: list[Names]) -> Engine:
    """Fills in the kinds of variables, attributes, parameters and results; gives the inference as it ended."""
    engine = Engine(project, files, keep=False)
    engine.run()
    cells = engine.cells
    for key, info in cells.written("variable"):
        module = project.modules.get(str(key[1]))
        if module is not None:
            module.variables[str(key[2])] = plain(info)
    for key, info in cells.written("attribute"):
        cls = project.classes.get(str(key[1]))
        if cls is not None:
            cls.attributes[str(key[2])] = plain(info)
    for qualified, units in engine.units.items():
        function = project.functions.get(qualified)
        if function is None:
            continue
        called = cells.get(("called", qualified))
        function.called = called is not None and bool(called.parts)
        cell = cells.get(("return", qualified))
        function.returns = plain(cell.value) if cell is not None else None
        for unit in units:
            function.kinds.update(
                {name: plain(info) for name, info in _parameters(engine, unit.qualified, function, unit.evidence)}
            )
    for module in project.modules.values():
        module.inferred = True
    return engine


def _parameters(
    engine: Engine, qualified: str, function: FunctionFacts, evidence: Mapping[str, KindInfo]
) -> list[tuple[str, KindInfo]]:
    found = []
    for name in function.parameters:
        cell = engine.cells.get(("parameter", qualified, name))
        info = cell.value if cell is not None and cell.parts else None
        if name in evidence and (info is None or not info.known):
            info = evidence[name]
        if info is not None and type(info) is not Origin:
            found.append((name, info))
    return found


def _namespace(facts: ModuleFacts, tree: ast.Module, names: Names) -> None:
    scope = names.table.module
    facts.exports = names.exports()
    facts.defines = frozenset(scope.bindings)
    facts.stars = tuple(binding.module for binding in names.imports if binding.star and binding.scope is tree)
    for node in scope.bindings.get("__all__", ()):
        assign = names.parents.get(node)
        value = getattr(assign, "value", None)
        if isinstance(value, (ast.List, ast.Tuple)) and all(isinstance(e, ast.Constant) for e in value.elts):
            facts.all_names = frozenset(str(e.value) for e in value.elts if isinstance(e, ast.Constant))


def _definitions(project: ProjectFacts, names: Names) -> None:
    assigned = _assigned(names)
    mentioned = _mentioned(names, {*_GRADIENTS, "backward"})
    for node in names.parents:
        if type(node) is ast.Call:
            project.habits.note(node, names)
    methods: dict[ast.AST, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for node, scope in names.table.scope_of.items():
        if isinstance(node, _DEFS):
            function = _function(node, names)
            words = mentioned.get(node, set())
            function.gradients, function.backward = bool(words & _GRADIENTS), "backward" in words
            project.functions[function.name] = function
            if scope.parent is not None:
                methods.setdefault(scope.parent.node, []).append(node)
    for node, scope in names.table.scope_of.items():
        if isinstance(node, ast.ClassDef):
            facts = _class(node, methods.get(node, []), names)
            facts.assigned = frozenset(assigned.get(node, ())) | frozenset(scope.bindings) - facts.methods
            project.classes[facts.name] = facts
            project.habits.leaves_behind |= _leaves_behind(methods.get(node, []))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> FunctionFacts:
    args = node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    parameters = tuple(a.arg for a in every if a is not None)
    return FunctionFacts(names.qualified(node), parameters, binding=binding_of(node, names))


def _class(node: ast.ClassDef, functions: list[ast.FunctionDef | ast.AsyncFunctionDef], names: Names) -> ClassFacts:
    bases = tuple(
        b
        for b in (names.of(base.value if isinstance(base, ast.Subscript) else base) for base in node.bases)
        if b is not None
    )
    properties = frozenset(
        f.name for f in functions if any(_decorator(d, names) in _PROPERTIES for d in f.decorator_list)
    )
    fields: tuple[str, ...] = ()
    if "typing.NamedTuple" in bases or any(_decorator(d, names).endswith("dataclass") for d in node.decorator_list):
        fields = tuple(
            i.target.id for i in node.body if isinstance(i, ast.AnnAssign) and isinstance(i.target, ast.Name)
        )
    return ClassFacts(
        names.qualified(node), names.module, bases, frozenset(f.name for f in functions), properties, fields
    )


def _decorator(node: ast.expr, names: Names) -> str:
    return names.of(node.func if isinstance(node, ast.Call) else node) or ""


def _assigned(names: Names) -> dict[ast.AST, set[str]]:
    """class -> attributes that its methods assign on their first parameter, or register there by a written name."""
    found: dict[ast.AST, set[str]] = {}
    for node, inner in names.table.stored_attributes:
        scope: Scope | None = inner
        while scope is not None and not scope.is_class:
            scope = scope.parent
        if scope is not None and isinstance(node.value, ast.Name):
            found.setdefault(scope.node, set()).add(node.attr)
    for call in names.parents:
        if type(call) is ast.Call and (name := registered_name(call)) is not None:
            owner = _class_of_self(call, names)
            if owner is not None:
                found.setdefault(owner, set()).add(str(name.value))
    return found


def _mentioned(names: Names, words: Set[str]) -> dict[ast.AST, set[str]]:
    """Which of the words the text of each function, that of nested ones included, has as a name or an attribute."""
    found: dict[ast.AST, set[str]] = {}
    for node in names.parents:
        word = node.attr if type(node) is ast.Attribute else node.id if type(node) is ast.Name else None
        if word is not None and word in words:
            outer = names.parents.get(node)
            while outer is not None:
                if isinstance(outer, _DEFS):
                    found.setdefault(outer, set()).add(word)
                outer = names.parents.get(outer)
    return found


def _leaves_behind(methods: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    """Whether `forward`, or a method that it calls on self, sets an attribute."""
    named = {method.name: method for method in methods}
    todo, seen = ["forward"], set[str]()
    while todo:
        name = todo.pop()
        if name in seen or name not in named:
            continue
        seen.add(name)
        for node in ast.walk(named[name]):
            if not isinstance(node, ast.Attribute):
                continue
            if isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                todo.append(node.attr)
    return False


def registered_name(call: ast.Call) -> ast.Constant | None:
    """The written name of the attribute that `self.register_buffer("mean", ...)` or `setattr(self, "mean", ...)` makes."""
    match call:
        case ast.Call(func=ast.Attribute(ast.Name(), method), args=[ast.Constant(value=str()) as name, *_]):
            return name if method in REGISTERING else None
        case ast.Call(func=ast.Name("setattr"), args=[ast.Name(), ast.Constant(value=str()) as name, _]):
            return name
    return None


def _class_of_self(call: ast.Call, names: Names) -> ast.ClassDef | None:
    """The class around a registering call, if the call goes to the first parameter of its method."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]
    node, around = names.parents.get(call), None
    while node is not None and type(node) is not ast.ClassDef:
        around = node if isinstance(node, _DEFS) else around
        node = names.parents.get(node)
    if not isinstance(node, ast.ClassDef) or around is None or not isinstance(receiver, ast.Name):
        return None
    parameters = [*around.args.posonlyargs, *around.args.args]
    return node if parameters and parameters[0].arg == receiver.id else None
