"""From a node to the name of what it refers to: `nn.Linear` -> `torch.nn.Linear`. The only reader of imports."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from torch2ms.analysis.canonical import canonical, is_torch, star_names
from torch2ms.analysis.imports import ImportBinding, import_source, imported_name, read_imports
from torch2ms.analysis.scope import Scope
from torch2ms.analysis.scopes import ScopeTable

if TYPE_CHECKING:
    from torch2ms.analysis.project import ProjectFacts

__all__ = ["ImportBinding", "Names", "resolve_names"]

_BUILTINS = frozenset(dir(builtins))
_BRANCHES = (ast.If, ast.Try, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))


class Names:
    """The names of one file; built by `resolve_names`."""

    def __init__(
        self,
        tree: ast.Module,
        module: str,
        project: ProjectFacts | None,
        is_package: bool,
        table: ScopeTable | None = None,
    ) -> None:
        self.tree = tree
        self.module = module
        self.is_package = is_package
        self.table = table or ScopeTable(tree)
        self.parents = self.table.parents
        self._project = project
        self._of: dict[ast.AST, str | None] = {}
        self._bound: dict[tuple[int, str], str | None] = {}
        self._open: set[tuple[int, str]] = set()
        self._locals: frozenset[str] | None = None
        self.imports = tuple(read_imports(self))

    def linked(self, project: ProjectFacts) -> Names:
        """The same file's names as a part of a project."""
        return Names(self.tree, self.module, project, self.is_package, self.table)

    @property
    def bound(self) -> frozenset[str]:
        """Every name that some scope of the file binds."""
        if self._locals is None:
            scopes = {id(s): s for s in self.table.scope_of.values()}.values()
            self._locals = frozenset(name for scope in scopes for name in scope.bindings)
        return self._locals

    def of(self, node: ast.AST) -> str | None:
        """The canonical dotted name that a Name or Attribute refers to; None for what is local, unknown or shadowed.

        PyTorch: its public name. The project: `pkg.models.Net`. Other imports: `numpy.array`. Builtins: `builtins.len`.
        """
        if type(node) is ast.Name:
            if node in self._of:
                return self._of[node]
            found = self._name(node)
        elif type(node) is ast.Attribute:
            if node in self._of:
                return self._of[node]
            base = self.of(node.value)
            found = None if base is None or base.startswith("builtins.") else self.resolve(f"{base}.{node.attr}")
        else:
            return None
        self._of[node] = found
        return found

    def bindings_named(self, name: str) -> tuple[ast.AST, ...]:
        """All nodes of the file that bind `name`, in whatever scope."""
        scopes = {id(s): s for s in self.table.scope_of.values()}.values()
        return tuple(node for scope in scopes for node in scope.bindings.get(name, ()))

    def scope(self, node: ast.AST) -> Scope:
        """The scope that holds the node (for a def, class, lambda or comprehension: the scope around it)."""
        parent = self.parents.get(node)
        if type(node) is ast.Name and node in self.table.scope_of:
            return self.table.scope_of[node]
        while parent is not None:
            if parent in self.table.scope_of and type(parent) is not ast.Name:
                return self.table.scope_of[parent]
            parent = self.parents.get(parent)
        return self.table.module

    def binder(self, node: ast.Name) -> Scope | None:
        """The scope that binds a Name; None for builtins, star imports and undefined names."""
        scope = self.table.scope_of.get(node)
        return self._binder(node, scope) if scope else None

    def is_local(self, node: ast.Name) -> bool:
        """Whether the Name is a variable of a function, lambda or comprehension."""
        scope = self.binder(node)
        return scope is not None and scope is not self.table.module and not scope.is_class

    def annotation(self, node: ast.expr) -> ast.expr:
        """The expression that an annotation stands for: a string annotation parsed, anything else as it is."""
        return self.table.annotations.get(node, node) if isinstance(node, ast.Constant) else node

    def exports(self) -> dict[str, str]:
        """Names of the module's own namespace that stand for something defined elsewhere."""
        scope = self.table.module
        found = {}
        for name in scope.bindings:
            target = self._binding(name, scope, None, None)
            if target is not None and target != f"{self.module}.{name}":
                found[name] = target
        return found

    def _name(self, node: ast.Name) -> str | None:
        scope = self.table.scope_of.get(node)
        if scope is None:
            return None
        binder = self._binder(node, scope)
        if binder is None:
            return self._star(node.id, scope) or (f"builtins.{node.id}" if node.id in _BUILTINS else None)
        return self._binding(node.id, binder, node, scope)

    def _binder(self, node: ast.Name, scope: Scope) -> Scope | None:
        """As `Scope.binder`; a class body sees the names around it until it binds them itself: `def torch(self) -> torch.dtype`."""
        binder = scope.binder(node.id)
        if binder is None or binder is not scope or not binder.is_class or not isinstance(node.ctx, ast.Load):
            return binder
        here = self._statement(node)
        before = map(self._statement, binder.bindings[node.id])
        if any(statement is not here and statement.lineno <= node.lineno for statement in before):
            return binder
        outer = binder.parent
        while outer is not None and outer.is_class:
            outer = outer.parent
        return outer.binder(node.id) if outer is not None else binder

    def _star(self, name: str, scope: Scope | None) -> str | None:
        while scope is not None:
            for stmt in reversed(scope.stars):
                source = self.resolve(import_source(self, stmt))
                known = star_names(source)
                if known is not None and name in known:
                    return self.resolve(f"{source}.{name}")
                if known is None and self._project is not None and self._project.exports_star(source, name):
                    return self.resolve(f"{source}.{name}")
            scope = scope.parent
        return None

    def _binding(self, name: str, binder: Scope, use: ast.Name | None, scope: Scope | None) -> str | None:
        nodes = binder.bindings[name]
        if len(nodes) > 1:
            picked = self._in_order(nodes, binder, use if scope is binder else None)
            if picked is not None:
                return self._target(picked, binder)
        key = (id(binder), name)
        if key in self._bound:
            return self._bound[key]
        if key in self._open:
            return None
        self._open.add(key)
        try:
            found = self._target(nodes[0], binder) if len(nodes) == 1 else self._agree(nodes, binder)
        finally:
            self._open.discard(key)
        self._bound[key] = found
        return found

    def _in_order(self, nodes: list[ast.AST], binder: Scope, use: ast.Name | None) -> ast.AST | None:
        """The binding that a use sees where all of them are plain statements of one block, one after the other."""
        last = None
        place = (use.lineno, use.col_offset) if use is not None else None
        for node in nodes:
            stmt = self._statement(node)
            if self.parents.get(stmt) is not binder.node or isinstance(
                stmt, (ast.For, ast.While, ast.With, ast.AugAssign, *_BRANCHES)
            ):
                return None
            if place is None or (stmt.end_lineno, stmt.end_col_offset) <= place:
                last = node
        return last

    def _agree(self, nodes: list[ast.AST], binder: Scope) -> str | None:
        """What several bindings in branches name together: they agree, or the others only stand in for a failed import."""
        first: list[str] = []
        for node in nodes:
            target = self._target(node, binder)
            if self._type_checking(node):
                return target
            if target is None:
                if not self._stand_in(node):
                    return None
            elif target not in first:
                first.append(target)
        torch = [target for target in first if is_torch(target)]
        return next(iter(torch or first), None)

    def _stand_in(self, node: ast.AST) -> bool:
        """Whether a binding only fills the place of an import that failed: `torch = None`, or a def in `except ImportError`."""
        stmt = self._statement(node)
        if (
            isinstance(stmt, (ast.Assign, ast.AnnAssign))
            and isinstance(stmt.value, ast.Constant)
            and stmt.value.value is None
        ):
            return True
        parent = self.parents.get(stmt)
        return isinstance(parent, ast.ExceptHandler) and parent.type is not None and "Import" in ast.dump(parent.type)

    def _type_checking(self, node: ast.AST) -> bool:
        parent = self.parents.get(self._statement(node))
        return (
            isinstance(parent, ast.If)
            and ast.dump(parent.test).count("TYPE_CHECKING") == 1
            and self._statement(node) in parent.body
        )

    def _statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def _target(self, node: ast.AST, binder: Scope) -> str | None:
        """What one binding node makes its name stand for."""
        if isinstance(node, ast.alias):
            stmt = self.parents[node]
            return (
                self.resolve(imported_name(self, stmt, node))
                if isinstance(stmt, (ast.Import, ast.ImportFrom))
                else None
            )
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            return self._qualified(node, binder)
        if isinstance(node, ast.Name):
            parent = self.parents.get(node)
            if (
                isinstance(parent, ast.Assign)
                and node in parent.targets
                or isinstance(parent, ast.AnnAssign)
                and parent.value is not None
            ):
                value = parent.value
                if isinstance(value, (ast.Name, ast.Attribute)):
                    return self.of(value)
                if self.module and isinstance(value, ast.Subscript) and self.of(value.value) == "sys.modules":
                    # sys.modules[__name__] is the file itself
                    return self.module if isinstance(value.slice, ast.Name) and value.slice.id == "__name__" else None
        return None

    def _qualified(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, binder: Scope) -> str | None:
        """`pkg.mod.Class.method`; a function's locals get `pkg.mod.outer.<locals>.inner`."""
        parts = [node.name]
        scope: Scope | None = binder
        while scope is not None and scope.parent is not None:
            owner = scope.node
            if isinstance(owner, ast.ClassDef):
                parts.append(owner.name)
            elif isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                parts += ["<locals>", owner.name]
            else:
                return None
            scope = scope.parent
        return ".".join([*([self.module] if self.module else []), *reversed(parts)])

    def qualified(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """The dotted name of a definition of this file."""
        return self._qualified(node, self.scope(node)) or node.name

    def absolute(self, module: str) -> str:
        """The module of the project that `import module` reaches here; `module` itself where there is none."""
        return self._project.absolute(module, self.module) if self._project is not None else module

    def resolve(self, name: str) -> str:
        """The canonical name that a dotted name stands for, through PyTorch's and the project's re-exports."""
        name = canonical(name)
        return self._project.resolve(name) if self._project is not None else name


def resolve_names(
    tree: ast.Module, module: str = "", project: ProjectFacts | None = None, is_package: bool = False
) -> Names:
    """The names of a file; `module` is its dotted name in the project, `is_package` whether it is an `__init__.py`."""
    return Names(tree, module, project, is_package)
