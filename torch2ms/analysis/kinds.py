"""From an expression to what sort of object it gives: tensor, module, optimizer, ndarray, number ..."""

from __future__ import annotations

import ast

from torch2ms.analysis.annotations import annotation_kind
from torch2ms.analysis.infer import Engine
from torch2ms.analysis.lattice import NONE, NUMBER, OTHER, STRING, UNKNOWN, Kind, KindInfo, plain
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import ProjectFacts

__all__ = ["Kind", "KindInfo", "Kinds", "infer_kinds"]


class Kinds:
    """The kinds of a file's expressions; built by `infer_kinds`."""

    def __init__(self, found: dict[ast.AST, KindInfo], names: Names, project: ProjectFacts) -> None:
        self._found = found
        self._names = names
        self._project = project

    def of(self, expr: ast.expr | ast.arg) -> KindInfo:
        """What is known of the value of an expression where it stands, or of a parameter; UNKNOWN for code never reached."""
        info = self._found.get(expr)
        if info is not None:
            return plain(info)
        if isinstance(expr, ast.Constant):
            return _constant(expr)
        return UNKNOWN

    def before(self, stmt: ast.AugAssign) -> KindInfo:
        """What is known of the target's value before an augmented assignment; `of` tells of the one behind it."""
        info = self._found.get(stmt)
        return UNKNOWN if info is None else plain(info)

    def annotation(self, expr: ast.expr | None) -> KindInfo:
        """The kind that an annotation promises."""
        return plain(annotation_kind(expr, self._names, self._project))


def _constant(node: ast.Constant) -> KindInfo:
    if node.value is None:
        return NONE
    if isinstance(node.value, str):
        return STRING
    return NUMBER if isinstance(node.value, (int, float, complex)) else OTHER


def infer_kinds(names: Names, project: ProjectFacts) -> Kinds:
    """The kinds of all expressions of a file."""
    engine = Engine(project, [names], keep=True)
    engine.run()
    return Kinds(engine.found, names, project)
