"""Builds the cross-file facts of a project from its files."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from torch2ms.analysis.names import Names, resolve_names
from torch2ms.analysis.project import ClassFacts, FunctionFacts, ModuleFacts, ProjectFacts

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)


def summarize(files: Mapping[str, tuple[str, ast.Module]]) -> ProjectFacts:
    """The modules, classes and functions of {module name: (path, tree)}."""
    project = ProjectFacts()
    for name, (path, _) in files.items():
        project.modules[name] = ModuleFacts(name, path, path.replace("\\", "/").rpartition("/")[2] == "__init__.py")
    names = {}
    for name, (_, tree) in files.items():
        names[name] = resolve_names(tree, name, None, project.modules[name].is_package)
        _namespace(project.modules[name], tree, names[name])
    for name, (_, tree) in files.items():
        linked = resolve_names(tree, name, project, project.modules[name].is_package)
        _definitions(project, tree, linked)
    return project


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


def _definitions(project: ProjectFacts, tree: ast.Module, names: Names) -> None:
    for node in definitions(names):
        qualified = names.qualified(node)
        if isinstance(node, ast.ClassDef):
            bases = tuple(b for b in (names.of(base) for base in node.bases) if b is not None)
            methods = frozenset(item.name for item in node.body if isinstance(item, _DEFS))
            project.classes[qualified] = ClassFacts(qualified, names.module, bases, methods)
        else:
            args = node.args
            parameters = tuple(a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs))
            project.functions[qualified] = FunctionFacts(qualified, parameters)


def definitions(names: Names) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every def and class of a file, outer before inner."""
    for node in names.table.scope_of:
        if isinstance(node, (ast.ClassDef, *_DEFS)):
            yield node
