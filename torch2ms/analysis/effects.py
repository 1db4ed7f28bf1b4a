"""Which names a piece of code reads and writes, seen from the function that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from torch2ms.analysis.imports import local_name
from torch2ms.analysis.names import Names
from torch2ms.analysis.nodes import children, walk
from torch2ms.analysis.scope import Scope

_CLOSURES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CONDITIONAL = (ast.BoolOp, ast.IfExp, *_COMPREHENSIONS)
# what most code is made of: the children tell everything
_PLAIN = frozenset(
    {ast.Attribute, ast.Call, ast.keyword, ast.Subscript, ast.Slice, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List}
    | {ast.Dict, ast.Set, ast.Starred, ast.JoinedStr, ast.FormattedValue, ast.Expr, ast.Assign, ast.Return, ast.arguments, ast.arg}
)


@dataclass(slots=True)
class Effects:
    """Names read, names written for sure, names perhaps written, names deleted, and what closures made here read and write later."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    maybe: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)
    captured_reads: set[str] = field(default_factory=set)
    captured_writes: set[str] = field(default_factory=set)

    @property
    def all_writes(self) -> set[str]:
        """Names that may be bound or unbound."""
        return self.writes | self.maybe | self.deletes


class EffectReader:
    """Reads effects on behalf of one function or module (`scope`); what inner scopes bind for themselves does not count."""

    def __init__(self, names: Names, scope: Scope) -> None:
        self._names = names
        self._scope = scope

    def of(self, nodes: Iterable[ast.AST | None]) -> Effects:
        """The effects of expressions, targets or whole statements (a compound statement counts with its body)."""
        effects = Effects()
        for node in nodes:
            if node is not None:
                self._visit(node, effects, sure=True, closure=False)
        effects.maybe -= effects.writes
        return effects

    def _visit(self, node: ast.AST, effects: Effects, sure: bool, closure: bool) -> None:
        kind = type(node)
        if kind is ast.Constant:
            return
        if kind is ast.Name:
            self._name(node, effects, sure, closure)  # type: ignore[arg-type]
            return
        if kind in _PLAIN:
            for child in children(node):
                self._visit(child, effects, sure, closure)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name != "*":
                    self._write(local_name(node, alias), effects, sure, closure)
            return
        if isinstance(node, (*_CLOSURES, ast.ClassDef)):
            self._definition(node, effects, sure, closure)
            return
        if isinstance(node, (ast.Global, ast.Nonlocal)) or isinstance(node, ast.AnnAssign) and node.value is None:
            return
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and self._outside(node.target):
            (effects.captured_reads if closure else effects.reads).add(node.target.id)
        name = (
            getattr(node, "name", None) if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) else None
        )
        if isinstance(node, ast.MatchMapping):
            name = node.rest
        if name and not closure:
            effects.maybe.add(name)
        if isinstance(node, _CONDITIONAL) or isinstance(node, ast.stmt) and hasattr(node, "body"):
            sure = False
        for child in children(node):
            self._visit(child, effects, sure, closure)

    def _definition(self, node: ast.AST, effects: Effects, sure: bool, closure: bool) -> None:
        if isinstance(node, ast.ClassDef):
            self._write(node.name, effects, sure, closure)
            for child in children(node):
                self._visit(child, effects, False, closure)
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._write(node.name, effects, sure, closure)
            for outer in [*node.decorator_list, node.returns]:
                if outer is not None:
                    self._visit(outer, effects, sure, closure)
        assert isinstance(node, _CLOSURES)
        self._visit(node.args, effects, sure, closure)
        for inner in node.body if isinstance(node.body, list) else [node.body]:
            self._visit(inner, effects, False, True)

    def _name(self, node: ast.Name, effects: Effects, sure: bool, closure: bool) -> None:
        if not self._outside(node):
            return
        if isinstance(node.ctx, ast.Load):
            effects.reads.add(node.id)
            if closure:
                effects.captured_reads.add(node.id)
        elif closure:
            effects.captured_writes.add(node.id)
        elif isinstance(node.ctx, ast.Del):
            effects.deletes.add(node.id)
        else:
            self._write(node.id, effects, sure, closure)

    def _write(self, name: str, effects: Effects, sure: bool, closure: bool) -> None:
        if not closure:
            (effects.writes if sure else effects.maybe).add(name)

    def _outside(self, node: ast.Name) -> bool:
        """Whether the name is not bound by a scope inside ours."""
        scope = self._names.table.scope_of.get(node)
        if scope is None or scope is self._scope:
            return True
        binder: Scope | None = scope.binder(node.id)
        while binder is not None:
            if binder is self._scope:
                return scope.binder(node.id) is self._scope
            binder = binder.parent
        return True


def attribute_paths(nodes: Iterable[ast.AST], store: bool) -> frozenset[str]:
    """The longest dotted paths like `self.loss_G` that are read (or, with `store`, assigned) in the nodes."""
    found: set[str] = set()
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ast.AugAssign) and not store:
                path = dotted(part.target)
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load) != store:
                path = dotted(part)
            else:
                continue
            if path is not None and "." in path:
                found.add(path)
    return frozenset(p for p in found if store or not any(other.startswith(p + ".") for other in found))


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a chain of attributes on a name, None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
