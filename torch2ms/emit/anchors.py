"""Where the imports of PyTorch stand, which of them are still needed, and which of them a place in the code rests on."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.canonical import is_replaced, is_torch
from torch2ms.analysis.names import ImportBinding, Names
from torch2ms.emit.reach import Reach

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A block with imports of PyTorch: the new imports stand where the first of them stood. `stmt` is None for a new place."""

    stmt: ast.Import | ast.ImportFrom | None
    block: ast.AST | None
    everywhere: bool  # a plain statement of the module
    typing: bool = False  # under `if TYPE_CHECKING:`


def alias_of(binding: ImportBinding) -> ast.alias:
    """The alias node of an import binding."""
    return binding.stmt.names[binding.index]


def root(node: ast.AST) -> ast.Name | None:
    """The Name at the left end of a call or of an attribute."""
    while isinstance(node, (ast.Call, ast.Attribute)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node if isinstance(node, ast.Name) else None


class Anchors:
    """The imports of PyTorch in one file."""

    def __init__(self, names: Names, found: Reach) -> None:
        self._names = names
        self.bindings = [b for b in names.imports if is_replaced(b.target) or is_replaced(b.module)]
        self._by_alias = {alias_of(b): b for b in self.bindings}
        self.surviving = set(self._surviving(found))
        # one anchor for each block, in source order
        self.anchors: dict[tuple[ast.AST | None, str], Anchor] = {}
        for binding in sorted(self.bindings, key=lambda b: b.stmt.lineno):
            key = self._block(binding.stmt)
            parent = key[0]
            typing = isinstance(parent, ast.If) and "TYPE_CHECKING" in ast.dump(parent.test)
            self.anchors.setdefault(key, Anchor(binding.stmt, parent, parent is names.tree, typing))
        self.default = self._default()

    def vanishing(self, node: ast.AST) -> bool:
        """Whether a node that binds a name is an import of PyTorch that goes."""
        return node in self._by_alias and node not in self.surviving

    def binding(self, name: ast.Name) -> ImportBinding | None:
        """The import of PyTorch that a Name rests on."""
        binder = self._names.binder(name)
        nodes = binder.bindings.get(name.id, ()) if binder else ()
        return next((self._by_alias[node] for node in nodes if node in self._by_alias), None)

    def of(self, node: ast.AST) -> Anchor:
        """The anchor whose imports serve this place."""
        name = root(node)
        binding = self.binding(name) if name is not None else None
        if binding is not None:
            return self.anchors[self._block(binding.stmt)]
        if self.default.stmt is None:
            own = self._enclosing(node)
            if own is not None:
                return own
        return self.default

    def _block(self, stmt: ast.stmt) -> tuple[ast.AST | None, str]:
        parent = self._names.parents.get(stmt)
        field = next((f for f in ("body", "orelse", "finalbody") if stmt in getattr(parent, f, ())), "body")
        return parent, field

    def _default(self) -> Anchor:
        module = self._names.tree
        candidates = [a for a in self.anchors.values() if not a.typing]
        for anchor in candidates:
            if anchor.everywhere:
                return anchor
        for anchor in candidates:
            block = anchor.block
            if block is not None and self._names.parents.get(block) is module and not isinstance(block, _SCOPES):
                return anchor
        return Anchor(None, module, True)

    def _enclosing(self, node: ast.AST) -> Anchor | None:
        """The anchor of a function around a place, for what rests on no import."""
        above = self._names.parents.get(node)
        while above is not None:
            anchor = self.anchors.get((above, "body"))
            if anchor is not None and isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return anchor
            above = self._names.parents.get(above)
        return None

    def _surviving(self, found: Reach) -> Iterator[ast.alias]:
        locals_ = {b.local for b in self.bindings}
        stars = [alias_of(b) for b in self.bindings if b.star]
        for name in found.names:
            if not isinstance(name.ctx, ast.Load):
                continue
            if name.id in locals_:
                binder = self._names.binder(name)
                for node in binder.bindings.get(name.id, ()) if binder else ():
                    if isinstance(node, ast.alias) and node in self._by_alias:
                        yield node
            elif stars and self._names.binder(name) is None and is_torch(self._names.of(name) or ""):
                yield from stars
