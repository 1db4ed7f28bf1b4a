"""Results of advanced indexing that are written later: PyTorch's are copies, MindSpore's write back into the base."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.aliases import Write
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace
from torch2ms.source import Span


class Copies:
    """The index expressions of one file that get their copy, each once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._copied: set[ast.AST] = set()

    def before(self, write: Write) -> Iterator[Claim]:
        """One claim for each index expression whose result this write changes."""
        facts = self._facts
        for root in facts.aliases(facts.function(write.node)).origins(write.target):
            node = root.key
            if not isinstance(node, ast.Subscript) or node in self._copied or not isinstance(node.ctx, ast.Load):
                continue
            # the write may be to a result that has no name: nobody sees it
            if node is not write.target and _is_advanced(facts, node.slice):
                self._copied.add(node)
                said = Diagnostic(
                    "T2M303", Span.of(node), "copied, since this result of advanced indexing is written later"
                )
                yield Claim("inplace", (), (Replace(node, "$0.copy()", (node,)),), (said,), provenance=None)


def _is_advanced(facts: Facts, index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(_selects(facts, part) for part in parts)


def _selects(facts: Facts, part: ast.expr) -> bool:
    info = facts.kinds.of(part)
    return isinstance(part, (ast.List, ast.Compare)) or info.kind in (Kind.TENSOR, Kind.SEQUENCE, Kind.NDARRAY)
