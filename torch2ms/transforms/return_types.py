"""`x.max(1).values` becomes `mint.max(x, 1)[0]`: MindSpore returns plain tuples.

https://www.mindspore.cn/docs/en/master/api_python/mint/mindspore.mint.max.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Replace

_FIELDS = ("values", "indices")
_PAIRS = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())


class ReturnTypes:
    """The fields of PyTorch's named results, which become positions."""

    name = "return_types"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each field that is read."""
        if not any(f".{field}" in facts.source.text for field in _FIELDS):
            return
        for node in facts.names.parents:
            if (
                type(node) is ast.Attribute
                and node.attr in _FIELDS
                and not facts.skipped(node)
                and _is_field(facts, node)
            ):
                edit = Replace(node, f"$0[{_FIELDS.index(node.attr)}]", (node.value,))
                yield Claim(self.name, (node,), (edit,), provenance=None)


def _is_field(facts: Facts, node: ast.Attribute) -> bool:
    above = facts.parent(node)
    if not isinstance(node.ctx, ast.Load) or isinstance(above, ast.Call) and above.func is node:
        return False
    info = facts.kinds.of(node.value)
    if info.certain and info.kind is Kind.SEQUENCE:
        return info.keys == _FIELDS
    match node.value:
        case ast.Call(func=ast.Attribute(attr=method)) if not info.known:
            # nothing else than a tensor has such a method whose result has such a field
            return method in _PAIRS
    return False


TRANSFORM = ReturnTypes()
