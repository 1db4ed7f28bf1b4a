"""The text of a data type: MindSpore says `Float32` where PyTorch says `torch.float32`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Provenance, Replace
from torch2ms.resolve import is_converted

_TEXT = ("builtins.str", "builtins.repr")


class DtypeText:
    """`str(x.dtype)` and `f"{x.dtype}"` keep PyTorch's spelling."""

    name = "dtype_text"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each data type that becomes text; of an object of unknown kind a helper asks what it is."""
        if is_converted(facts):
            return
        for node in facts.names.parents:
            match node:
                case ast.Call(func=ast.Name() as func, args=[value], keywords=[]) if facts.names.of(func) in _TEXT:
                    whole: ast.expr = node
                case ast.FormattedValue(value=value, conversion=-1, format_spec=None) if facts.names.of(value) is None:
                    whole = value
                case _:
                    continue
            template, provenance = _text(facts, value)
            if template and not facts.skipped(node):
                yield Claim(self.name, (whole,), (Replace(whole, template, (value,)),), provenance=provenance)


def _text(facts: Facts, value: ast.expr) -> tuple[str, Provenance]:
    info = facts.kinds.of(value)
    if info.certain and info.kind is Kind.DTYPE:
        return '("torch." + str($0).lower())', Provenance.PROVEN
    if isinstance(value, ast.Attribute) and value.attr == "dtype" and not info.known:
        return "$tensor.dtype_text($0)", Provenance.GUARDED
    return "", Provenance.PROVEN


TRANSFORM = DtypeText()
