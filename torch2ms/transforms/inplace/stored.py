"""What was stored of a weight's old storage before `p.data = new`: PyTorch leaves it alone, `ops.assign` writes to it."""

from __future__ import annotations

import ast
from functools import cached_property

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.nodes import walk
from torch2ms.edits import Edit, Replace
from torch2ms.transforms.inplace.values import Declined, bare


class Kept(Declined):
    """Something keeps the old storage; `whole`: as a `state_dict`, whose items are the weights themselves in MindSpore."""

    def __init__(self, message: str, advice: str, whole: bool) -> None:
        super().__init__(message, advice)
        self.whole = whole


class Stored:
    """Reads of `.data` and `.detach()` in one file that something keeps."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def copies(self, target: ast.expr, stmt: ast.stmt) -> tuple[tuple[ast.expr, ...], tuple[Edit, ...]]:
        """What must become a copy before another tensor is put under `target` in `stmt`, and how.

        Raises Kept where something kept elsewhere would change along.
        """
        near: list[ast.expr] = []
        for read in self._kept:
            following = self._replaced_next(read)
            if following is stmt:
                near.append(read)
            elif following is None and self._may_be_same(read, target, stmt):
                text = ast.unparse(read)
                copy = f"copy.deepcopy({text})" if _gives_all(read) else f"{text}.clone()"
                raise Kept(
                    f"line {read.lineno} keeps {text}, which PyTorch leaves as it was and MindSpore writes to",
                    f"keep a copy there: {copy}",
                    _gives_all(read),
                )
        edits = tuple(Replace(read, "$mint.clone($ops.stop_gradient($0))", (_owner(read),)) for read in near)
        return tuple(near), edits

    def _replaced_next(self, read: ast.expr) -> ast.stmt | None:
        """The statement right behind the read that puts another tensor in the place of what was read."""
        holder = self._facts.statement(read)
        above = self._facts.parent(holder)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(above, field, None)
            if isinstance(block, list) and holder in block[:-1]:
                match block[block.index(holder) + 1]:
                    case ast.Assign(targets=[ast.Attribute(attr="data", value=owner)]) as stmt:
                        return stmt if ast.unparse(bare(owner)) == ast.unparse(_owner(read)) else None
        return None

    def _may_be_same(self, read: ast.expr, target: ast.expr, stmt: ast.stmt) -> bool:
        """Whether a read elsewhere is read again and can be of the target's tensor: a weight may be any of its sort."""
        match self._facts.parent(read):
            case ast.Assign(targets=[ast.Name(id=name)]):
                function = self._facts.function(stmt)
                if self._facts.function(read) is not function:
                    return False
                if name not in self._facts.flow(function).live_out([stmt]):
                    return False
        owner = _owner(read)
        if _gives_all(read):
            return True
        if isinstance(owner, ast.Name) is not isinstance(target, ast.Name):
            return False
        return isinstance(owner, ast.Name) or owner_attribute(owner) == owner_attribute(target)

    @cached_property
    def _kept(self) -> list[ast.expr]:
        return [n for n in walk(self._facts.tree) if isinstance(n, ast.expr) and _is_read(n) and self._is_kept(n)]

    def _is_kept(self, read: ast.expr) -> bool:
        """Whether the value is put somewhere: under a name, in an attribute, an item, a container."""
        if _gives_all(read):
            # saved or copied at once as a rule
            return isinstance(self._facts.parent(read), ast.Assign)
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
    return _gives_all(node)


def _gives_all(node: ast.AST) -> bool:
    """`net.state_dict()`, which keeps the storage of every weight."""
    match node:
        case ast.Call(func=ast.Attribute(attr="state_dict"), args=[], keywords=[]):
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
