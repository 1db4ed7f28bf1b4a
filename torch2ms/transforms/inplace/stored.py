"""What was stored of a weight's old storage before `p.data = new`: PyTorch leaves it alone, `ops.assign` writes to it."""

from __future__ import annotations

import ast
from functools import cached_property

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.edits import Edit, Replace
from torch2ms.transforms.inplace.values import Declined, bare

# these give the storage itself where there is nothing to do
_HANDED_ON = frozenset("detach cpu cuda float to contiguous view view_as reshape t transpose".split())


class Stored:
    """Reads of `.data` and `.detach()` in one file that something keeps."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def copies(self, target: ast.expr, stmt: ast.stmt) -> tuple[tuple[ast.expr, ...], tuple[Edit, ...]]:
        """What must become a copy before another tensor is put under `target` in `stmt`, and how.

        Raises Declined where something kept elsewhere would change along.
        """
        before = self._before(stmt)
        near: list[ast.expr] = []
        name = ast.unparse(target)
        for read in self._kept:
            holder = self._facts.statement(read)
            if holder is before and ast.unparse(_owner(read)) == name:
                near.append(read)
            elif not self._may_be_same(read, target):
                continue
            else:
                raise Declined(
                    f"line {read.lineno} keeps {ast.unparse(read)}, which PyTorch leaves as it was and MindSpore writes to",
                    f"keep a copy there: {ast.unparse(read)}.clone()",
                )
        edits = tuple(Replace(read, "$mint.clone($ops.stop_gradient($0))", (_owner(read),)) for read in near)
        return tuple(near), edits

    def _before(self, stmt: ast.stmt) -> ast.stmt | None:
        """The statement right before, in the same list."""
        above = self._facts.parent(stmt)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(above, field, None)
            if isinstance(block, list) and stmt in block:
                index = block.index(stmt)
                return block[index - 1] if index else None
        return None

    def _may_be_same(self, read: ast.expr, target: ast.expr) -> bool:
        """Whether a read elsewhere can be of the tensor of the target: any weight may be any other of the same sort."""
        owner = _owner(read)
        local = isinstance(self._facts.parent(read), ast.Assign) and self._is_local(read)
        if local and self._facts.function(read) is not self._facts.function(target):
            return False
        if isinstance(owner, ast.Name) is not isinstance(target, ast.Name):
            return False
        return isinstance(owner, ast.Name) or owner_attribute(owner) == owner_attribute(target)

    def _is_local(self, read: ast.expr) -> bool:
        match self._facts.parent(read):
            case ast.Assign(targets=[ast.Name()]):
                return True
        return False

    @cached_property
    def _kept(self) -> list[ast.expr]:
        return [node for node in walk(self._facts.tree) if _is_read(node) and self._is_kept(node)]

    def _is_kept(self, read: ast.expr) -> bool:
        """Whether the value is put somewhere: under a name, in an attribute, an item, a container."""
        if self._facts.kinds.of(_owner(read)).kind not in (Kind.PARAMETER, Kind.TENSOR, Kind.UNKNOWN):
            return False
        match self._facts.parent(read):
            case ast.Assign(value=value, targets=targets) if value is read:
                return not all(isinstance(t, ast.Attribute) and t.attr in ("data", "grad") for t in targets)
            case ast.Call(func=ast.Attribute(attr="append" | "appendleft" | "setdefault"), args=args) if read in args:
                return True
            case ast.Dict(values=values) if read in values:
                return True
            case ast.DictComp(value=value) if value is read:
                return True
            case ast.List() | ast.ListComp() | ast.Tuple() | ast.GeneratorExp():
                return True
        return False


def _is_read(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr="data", ctx=ast.Load()):
            return True
        case ast.Call(func=ast.Attribute(attr="detach"), args=[], keywords=[]):
            return True
    return False


def _owner(read: ast.expr) -> ast.expr:
    match read:
        case ast.Attribute(attr="data", value=value) | ast.Call(func=ast.Attribute(attr="detach", value=value)):
            return bare(value)
    return read


def owner_attribute(expr: ast.expr) -> str:
    """The last attribute of `net.layer.weight`; the whole text of anything else."""
    return expr.attr if isinstance(expr, ast.Attribute) else ast.unparse(expr)
