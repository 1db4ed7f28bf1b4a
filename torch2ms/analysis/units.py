"""The units of a module: its body, defs and lambdas."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.cells import Unit
from torch2ms.analysis.names import Names
from torch2ms.analysis.scope import Scope

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
# decorators that leave the result of a call what it is
_HARMLESS = ("torch.", "functools.", "builtins.", "abc.", "typing.", "numba.", "torchvision.", "overrides.")


def module_units(names: Names) -> Iterator[Unit]:
    """The body of a module first, then its defs and lambdas."""
    table = names.table
    yield Unit(names.tree, names, names.module, table.module, publishes=True)
    for node, scope in table.scope_of.items():
        if isinstance(node, _DEFS):
            unit = Unit(node, names, names.qualified(node), scope, publishes=scope in table.enclosing)
            unit.binding = binding_of(node, names)
            if scope.parent is not None and isinstance(scope.parent.node, ast.ClassDef):
                unit.owner = names.qualified(scope.parent.node)
            _decorate(unit, node, names)
            yield unit
        elif isinstance(node, ast.Lambda):
            yield _lambda(node, scope, names)


def _lambda(node: ast.Lambda, scope: Scope, names: Names) -> Unit:
    qualified = f"{names.module}.<lambda>@{node.lineno}:{node.col_offset}"
    return Unit(node, names, qualified, scope, publishes=scope in names.table.enclosing)


def _decorate(unit: Unit, node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> None:
    for decorator in node.decorator_list:
        name = names.of(decorator.func if isinstance(decorator, ast.Call) else decorator) or ""
        if name == "contextlib.contextmanager":
            unit.context = True
        elif isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "getter", "deleter"):
            continue
        elif not name.startswith(_HARMLESS):
            unit.wrapped = True


def binding_of(node: ast.FunctionDef | ast.AsyncFunctionDef, names: Names) -> str:
    """How a method gets its first parameter: "self", "class" or "static"; empty for a function."""
    parent = names.table.scope_of[node].parent
    if parent is None or not isinstance(parent.node, ast.ClassDef):
        return ""
    decorators = {names.of(decorator) for decorator in node.decorator_list}
    if "builtins.classmethod" in decorators or node.name == "__init_subclass__":
        return "class"
    return "static" if "builtins.staticmethod" in decorators or node.name == "__new__" else "self"
