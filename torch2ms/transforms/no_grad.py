"""`torch.no_grad` disappears where nothing is ever differentiated; elsewhere it becomes the runtime's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Claim, DropDecorator, Keep, Replace, Splice
from torch2ms.transforms.training.reach import Differentiated, differentiated
from torch2ms.transforms.training.recording import NO_GRAD, is_no_grad
from torch2ms.transforms.training.step import vanished
from torch2ms.transforms.training.tree import own_nodes

_NOT_TENSORS = frozenset(Kind) - {Kind.TENSOR, Kind.PARAMETER, Kind.UNKNOWN}


class NoGrad:
    """Drops contexts and decorators from code that the call graph keeps out of every gradient.

    A write through an index stays under no_grad: inside a gradient it would be lost without it. So does everything in
    a project that asks for `is_grad_enabled`.
    """

    name = "no_grad"
    after: tuple[str, ...] = ("training",)

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """One claim for each context or decorator."""
        if not any(name.rpartition(".")[2] in facts.source.text for name in NO_GRAD):
            return
        reach = differentiated(facts)
        for node in facts.names.parents:
            if isinstance(node, (ast.With, ast.AsyncWith)):
                yield from _context(facts, reach, node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield from _decorators(facts, reach, node)


def _context(facts: Facts, reach: Differentiated, stmt: ast.With | ast.AsyncWith) -> Iterator[Claim]:
    quiet = [item.context_expr for item in stmt.items if is_no_grad(facts, item.context_expr)]
    if not quiet or facts.skipped(stmt):
        return
    alone = len(stmt.items) == 1 and stmt.items[0].optional_vars is None
    if alone and not reach.statement(stmt) and not _is_felt(facts, stmt.body):
        gone = vanished(facts)
        items = tuple(Keep(inner) for inner in stmt.body if inner not in gone)
        moved = tuple(Splice(inner, ()) for inner in stmt.body)
        yield Claim("no_grad", (stmt,), (Splice(stmt, items), *moved))
        return
    for expr in quiet:
        yield from _renamed(facts, expr)


def _decorators(
    facts: Facts, reach: Differentiated, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[Claim]:
    for decorator in function.decorator_list:
        if not is_no_grad(facts, decorator) or facts.skipped(function):
            continue
        if not reach.function(function) and not _is_felt(facts, function.body):
            yield Claim("no_grad", (decorator,), (DropDecorator(decorator),))
        else:
            yield from _renamed(facts, decorator)


def _renamed(facts: Facts, expr: ast.expr) -> Iterator[Claim]:
    """inference_mode under the name of the runtime; no_grad itself is a rule's."""
    if facts.names.of(expr.func if isinstance(expr, ast.Call) else expr) == "torch.inference_mode":
        yield Claim("no_grad", (expr,), (Replace(expr, "$no_grad()"),))


def _is_felt(facts: Facts, body: list[ast.stmt]) -> bool:
    """Whether statements that no gradient reaches can tell that they run under no_grad."""
    return facts.project.habits.reads_grad_mode or _writes(facts, body)


def _writes(facts: Facts, body: list[ast.stmt]) -> bool:
    """Whether a statement writes into a tensor through an index or a slice."""
    for stmt in body:
        for node in own_nodes(stmt):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if facts.kinds.of(node.value).kind not in _NOT_TENSORS and not _is_key(node.slice):
                    return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                in_place = node.func.attr.endswith("_") and not node.func.attr.endswith("__")
                if in_place and isinstance(node.func.value, ast.Subscript):
                    return True
    return False


def _is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


TRANSFORM = NoGrad()
