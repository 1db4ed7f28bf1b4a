"""`except RuntimeError` around code that computes: MindSpore raises other types for some of PyTorch's errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts

_CAUGHT = ("builtins.RuntimeError", "torch.cuda.OutOfMemoryError", "torch.OutOfMemoryError")
# what also catches the errors of MindSpore
_WIDER = ("builtins.Exception", "builtins.BaseException", "builtins.ValueError", "builtins.TypeError")
# files, processes and devices: no operation checks the shapes of its operands
_NO_OPERATIONS = ("torch.load", "torch.save", "torch.cuda", "torch.distributed", "torch.multiprocessing", "torch.jit")


class Handlers:
    """Handlers that see fewer errors than in PyTorch. Nothing is changed: what they do not see is raised."""

    name = "handlers"
    after: tuple[str, ...] = ()

    def find(self, facts: Facts) -> Iterator[Diagnostic]:
        """One warning for each handler of RuntimeError that stands alone around operations."""
        if "RuntimeError" not in facts.source.text and "OutOfMemoryError" not in facts.source.text:
            return
        for node in facts.names.parents:
            if not isinstance(node, ast.Try) or facts.skipped(node):
                continue
            caught = [name for handler in node.handlers for name in _types(facts, handler)]
            if any(name in _WIDER for name in caught) or None in caught or not _computes(facts, node.body):
                continue
            for handler in node.handlers:
                if any(name in _CAUGHT for name in _types(facts, handler)) and handler.type is not None:
                    yield Diagnostic(
                        "T2M108",
                        Span.of(handler.type),
                        "MindSpore raises ValueError or TypeError where shapes or dtypes do not fit, and its RuntimeError for "
                        "a full device has another text",
                        "name the errors that are meant: except (RuntimeError, ValueError, TypeError)",
                    )


def _types(facts: Facts, handler: ast.ExceptHandler) -> list[str | None]:
    """The names of what a handler catches; None for everything."""
    if handler.type is None:
        return [None]
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [facts.names.of(node) or "?" for node in nodes]


def _computes(facts: Facts, body: list[ast.stmt]) -> bool:
    """Whether a call in the statements may run an operation."""
    return any(isinstance(node, ast.Call) and _is_operation(facts, node) for stmt in body for node in ast.walk(stmt))


def _is_operation(facts: Facts, call: ast.Call) -> bool:
    name = facts.names.of(call.func)
    if name is not None and name.startswith(_NO_OPERATIONS):
        return False
    function = facts.kinds.of(call.func)
    if facts.kinds.of(call).kind in TENSOR_KINDS or function.kind in (Kind.MODULE, Kind.OPTIMIZER):
        return True
    if function.kind is Kind.CALLABLE and any(one in facts.project.functions for one in function.classes):
        return True
    return name is not None and (name.startswith("torch.nn.functional.") or name in facts.project.functions)


TRANSFORM = Handlers()
