"""Functions that run only while objects are made: constructors, and what nothing but constructors calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torch2ms.analysis.names import Names
from torch2ms.analysis.project import ProjectFacts

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_START = "__init__"


def mark_constructing(project: ProjectFacts, files: Iterable[Names]) -> None:
    """Set `constructing` of each function that a search of the whole project finds in constructors only.

    A use that is no call, but for `module.apply(function)`, counts as a use from anywhere: what is kept may run later. So
    does a text of that name among the arguments of a call, as for `getattr`. A call whose receiver is not known counts as
    one of every function of that name, and never as proof that a constructor calls it.
    """
    uses = _Uses(project)
    for names in files:
        uses.read(names)
    found = {q for q in project.functions if q.rpartition(".")[2] == _START}
    waiting = set(uses.proven)
    while joined := {q for q in waiting if uses.users[q] - {q} <= found and uses.proven[q] & found}:
        found |= joined
        waiting -= joined
    for qualified in found:
        project.functions[qualified].constructing = True


class _Uses:
    """Who uses the functions of a project: the functions around each use, `""` for a use from anywhere."""

    def __init__(self, project: ProjectFacts) -> None:
        self._project = project
        self.users: dict[str, set[str]] = {}
        self.proven: dict[str, set[str]] = {}
        self._named: dict[str, list[str]] = {}
        for qualified in project.functions:
            self._named.setdefault(qualified.rpartition(".")[2], []).append(qualified)

    def read(self, names: Names) -> None:
        """Take in the uses of one file."""
        for node, name in self._mentions(names):
            direct = _is_call(names, node)
            user = _user(names, node) if direct else ""
            exact = self._exact(names, node, name)
            for qualified in self._named[name] if exact is None else exact:
                self.users.setdefault(qualified, set()).add(user)
                if exact is not None and user:
                    self.proven.setdefault(qualified, set()).add(user)

    def _mentions(self, names: Names) -> Iterator[tuple[ast.AST, str]]:
        for node, parent in names.parents.items():
            kind = type(node)
            if kind is ast.Name or kind is ast.Attribute:
                name = node.id if isinstance(node, ast.Name) else node.attr  # type: ignore[attr-defined]
                if name in self._named and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                    yield node, name
            elif kind is ast.alias:
                name = node.name.rpartition(".")[2]  # type: ignore[attr-defined]
                if node.asname and name in self._named:  # type: ignore[attr-defined]
                    yield node, name
            elif kind is ast.Constant and isinstance(parent, ast.Call):
                value = node.value  # type: ignore[attr-defined]
                if isinstance(value, str) and value in self._named:
                    yield node, value

    def _exact(self, names: Names, node: ast.AST, name: str) -> list[str] | None:
        """The functions that are meant, where that is known; none for a name of something else."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        known = names.of(node)
        if known is not None:
            return [known] if known in self._project.functions else []
        if not isinstance(node, ast.Attribute):
            return None
        around = _class_around(names, node)
        if around is None or not _is_own(names, node.value):
            return None
        own = names.qualified(around)
        related = [q for q in self._named[name] if self._are_related(q.rpartition(".")[0], own)]
        return related or None

    def _are_related(self, owner: str, other: str) -> bool:
        classes = self._project.classes
        return owner in classes and (owner in self._project.bases(other) or other in self._project.bases(owner))


def _is_call(names: Names, node: ast.AST) -> bool:
    """Whether the use runs the function right there: a call of it, or `module.apply(function)`."""
    match names.parents.get(node):
        case ast.Call(func=func) if func is node:
            return True
        case ast.Call(func=ast.Attribute(attr="apply"), args=[given], keywords=[]):
            return given is node
    return False


def _user(names: Names, node: ast.AST) -> str:
    """The function whose body holds the node itself; "" in a lambda, a class or the module, and for defaults and decorators."""
    child, above = node, names.parents.get(node)
    while above is not None:
        if isinstance(above, _DEFS):
            return names.qualified(above) if child in above.body else ""
        if isinstance(above, (ast.Lambda, ast.ClassDef)):
            return ""
        child, above = above, names.parents.get(above)
    return ""


def _class_around(names: Names, node: ast.AST) -> ast.ClassDef | None:
    above = names.parents.get(node)
    while above is not None and not isinstance(above, ast.ClassDef):
        above = names.parents.get(above)
    return above


def _is_own(names: Names, value: ast.expr) -> bool:
    """Whether the expression is `self` or `super()`."""
    if isinstance(value, ast.Call):
        return names.of(value.func) == "builtins.super"
    return isinstance(value, ast.Name) and value.id == "self"
