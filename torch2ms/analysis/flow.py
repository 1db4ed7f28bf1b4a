"""Reads and writes of names, liveness and dominance inside one function or module body."""
from __future__ import annotations

import ast

from torch2ms.analysis.names import Names


class Flow:
    """The flow of one def, lambda or module."""

    def __init__(self, function: ast.AST, names: Names) -> None:
        self.function = function
        self.names = names
