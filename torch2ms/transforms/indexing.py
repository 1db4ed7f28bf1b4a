"""Indices that PyTorch takes and MindSpore does not: `x[range(n), y]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace


class Indexing:
    """A `range` among the indices becomes a list, which numpy and MindSpore take alike."""

    name = "indexing"
    after: tuple[str, ...] = ("inplace",)

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each range."""
        if "range(" not in facts.source.text:
            return
        for node in facts.names.parents:
            if isinstance(node, ast.Subscript) and not facts.skipped(node):
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                for part in parts:
                    if isinstance(part, ast.Call) and facts.names.of(part.func) == "builtins.range":
                        yield Claim(self.name, (), (Replace(part, "list($0)", (part,)),), provenance=None)


TRANSFORM = Indexing()
