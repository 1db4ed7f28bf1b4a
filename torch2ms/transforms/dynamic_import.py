"""`importlib.import_module("torch.nn.functional")` gives the module that stands for it, and a warning."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.analysis.canonical import is_torch
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, Provenance, Replace, unsupported
from torch2ms.emit.naming import MODULES
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_ADVICE = "import what is needed by name"


class DynamicImport:
    """Modules of PyTorch that are imported by a function call."""

    name = "dynamic_import"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Claim]:
        """One claim for each such call."""
        if "import_module" not in facts.source.text and "__import__" not in facts.source.text:
            return
        for node in facts.names.parents:
            match node:
                case ast.Call(func=func, args=[ast.Constant(value=str(module)), *_]) if is_torch(module):
                    if facts.names.of(func) in ("importlib.import_module", "builtins.__import__") and not facts.skipped(node):
                        yield _claim(node, module)


def _claim(node: ast.Call, module: str) -> Claim:
    target = MODULES.get(module)
    if target is not None:
        message = f"{module} is imported at run time; the module that stands for it may lack a name"
        said = Diagnostic("T2M105", Span.of(node), message, _ADVICE)
        return Claim("dynamic_import", (node,), (Replace(node, f"${target}"),), (said,))
    said = Diagnostic("T2M101", Span.of(node), f"{module} is imported at run time and has no counterpart", _ADVICE)
    text = unsupported(module, ast.unparse(node), _ADVICE)
    return Claim("dynamic_import", (node,), (Replace(node, text),), (said,), provenance=Provenance.REFUSED)


TRANSFORM = DynamicImport()
