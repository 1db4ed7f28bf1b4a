"""A tensor and its named views inside a gradient: one is written, the others are derived from it again.

No MindSpore primitive writes through a live view and keeps the gradient. So the write goes to one tensor, and what is
read later of its family is made anew from that: `heads[drop] = 0` is followed by `h = heads.view(h.shape)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.edits import Edit, Insert, Item, New, Splice

_RESHAPING = frozenset("view view_as reshape unsqueeze squeeze".split())
_SWAPPING = frozenset("transpose swapaxes t".split())


@dataclass(frozen=True, slots=True)
class View:
    """`name = <view of base>`, defined once; `inverse` gives the base from the view."""

    name: str
    base: str
    stmt: ast.Assign
    inverse: str
    parts: tuple[ast.expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """The edits that follow one write, and the names that they settle."""

    settled: frozenset[str]
    edits: tuple[Edit, ...]


class Families:
    """The named views of one function."""

    def __init__(self, facts: Facts, function: ast.AST) -> None:
        self._facts = facts
        self._function = function
        self._views = {view.name: view for view in self._find()}

    def after(self, stmt: ast.stmt, target: ast.Name, others: list[str]) -> Derived | None:
        """What to do after a write to `target` for the other names that share its storage; None where it is not known."""
        base = self._views[target.id].base if target.id in self._views else target.id
        members = [v for v in self._views.values() if v.base == base]
        names = {base, *(v.name for v in members)}
        block = self._block(stmt)
        if block is None or not set(others) <= names:
            return None
        here = block.index(stmt)
        if any(v.stmt not in block for v in members if v.name in others or v.name == target.id):
            return None
        items: list[Item] = []
        edits: list[Edit] = []
        if target.id != base and base in others and self._needed(base, target.id, block, here):
            view = self._views[target.id]
            items.append(New(view.inverse.replace("BASE", base).replace("VIEW", view.name), view.parts))
        for view in members:
            defined = view.stmt in block and block.index(view.stmt) < here
            if view.name == target.id or view.name not in others or not defined:
                continue
            if self._needed(view.name, target.id, block, here):
                if target.id != base and not items:
                    return None
                if not self._same_operands(view, block, here):
                    return None
                items.append(New(f"{view.name} = $0", (view.stmt.value,)))
                if not self._read_between(view.name, block, block.index(view.stmt) + 1, here):
                    edits.append(Splice(view.stmt, ()))
        if items:
            edits.append(Insert(stmt, "after", tuple(items)))
        return Derived(frozenset(names), tuple(edits))

    def _find(self) -> Iterator[View]:
        stores: dict[str, int] = {}
        for node in ast.walk(self._function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stores[node.id] = stores.get(node.id, 0) + 1
        for stmt in ast.walk(self._function):
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if stores[name] == 1:
                    found = _view(value)
                    if found is not None and found[0] != name:
                        yield View(name, found[0], stmt, found[1], found[2])

    def _block(self, stmt: ast.stmt) -> list[ast.stmt] | None:
        above = self._facts.parent(stmt)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(above, field, None)
            if isinstance(block, list) and stmt in block:
                return block
        return None

    def _needed(self, name: str, written: str, block: list[ast.stmt], here: int) -> bool:
        """Whether `name` must be right directly after the write: it is read before the next write to the same tensor."""
        for stmt in block[here + 1 :]:
            if _writes_to(stmt, written) and not _reads(stmt, name):
                return False
            if isinstance(stmt, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in stmt.targets):
                return _reads(stmt, name)
            if _reads(stmt, name):
                return True
        return name in self._facts.flow(self._facts.function(block[here])).live_out([block[-1]])

    def _same_operands(self, view: View, block: list[ast.stmt], here: int) -> bool:
        operands = {n.id for n in ast.walk(view.stmt.value) if isinstance(n, ast.Name)} - {view.base}
        between = block[block.index(view.stmt) : here + 1]
        return not operands & {
            n.id for s in between for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }

    def _read_between(self, name: str, block: list[ast.stmt], first: int, last: int) -> bool:
        return any(_reads(stmt, name) for stmt in block[first : last + 1])


def _reads(stmt: ast.stmt, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(stmt))


def _writes_to(stmt: ast.stmt, name: str) -> bool:
    """Whether the statement itself is a write to the tensor of the name."""
    match stmt:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=written))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=written)))
        ):
            return written == name
        case ast.AugAssign(target=ast.Name(id=written)):
            return written == name
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            return _call_writes(call, name)
    return False


def _call_writes(call: ast.Call, name: str) -> bool:
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr.endswith("_"):
        owner = func.value
        while isinstance(owner, (ast.Subscript, ast.Call, ast.Attribute)):
            owner = owner.func if isinstance(owner, ast.Call) else owner.value
        return isinstance(owner, ast.Name) and owner.id == name
    return any(isinstance(a, ast.Name) and a.id == name for a in call.args)


def _view(value: ast.expr) -> tuple[str, str, tuple[ast.expr, ...]] | None:
    """The base of a view expression and the statement that gives the base from the view."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=method), args=args) if method in _RESHAPING:
            return base, "BASE = VIEW.view(BASE.shape)", ()
        case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr=method), args=args, keywords=[]) if (
            method in _SWAPPING
        ):
            slots = ", ".join(f"${i}" for i in range(len(args)))
            return base, f"BASE = VIEW.{method}({slots})", tuple(args)
        case ast.Attribute(value=ast.Name(id=base), attr="T"):
            return base, "BASE = VIEW.T", ()
        case ast.Subscript(value=ast.Name(id=base), slice=index) if _basic(index):
            return base, "$0 = VIEW", (value,)
    return None


def _basic(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(p, ast.Slice) or isinstance(p, ast.Constant) and isinstance(p.value, int) for p in parts)
