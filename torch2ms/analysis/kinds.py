"""From an expression to what sort of object it gives: tensor, module, optimizer, ndarray, number ..."""
from __future__ import annotations

import ast

from torch2ms.analysis.lattice import UNKNOWN, Kind, KindInfo
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import ProjectFacts

__all__ = ["Kind", "KindInfo", "Kinds", "infer_kinds"]


class Kinds:
    """The kinds of a file's expressions; built by `infer_kinds`."""

    def __init__(self, found: dict[ast.AST, KindInfo]) -> None:
        self._found = found

    def of(self, expr: ast.expr) -> KindInfo:
        """What is known of the value that the expression has where it stands."""
        return self._found.get(expr, UNKNOWN)


def infer_kinds(tree: ast.Module, names: Names, project: ProjectFacts) -> Kinds:
    """The kinds of all expressions of a file."""
    return Kinds({})
