"""Which scope binds which name: one walk over a module, parents on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torch2ms.analysis.imports import local_name
from torch2ms.analysis.nodes import NODE_FIELDS
from torch2ms.analysis.scope import Scope, all_arguments


class ScopeTable:
    """The scopes of a module: `scope_of` (Name nodes and definitions), `parents`, `annotations` (parsed string annotations)."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(tree, None)
        self.parents: dict[ast.AST, ast.AST] = {}
        # Name -> the scope it is looked up in; def, class, lambda, comprehension, module -> the scope it opens
        self.scope_of: dict[ast.AST, Scope] = {tree: self.module}
        self.annotations: dict[ast.Constant, ast.expr] = {}
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.stored_attributes: list[tuple[ast.Attribute, Scope]] = []
        self.enclosing: set[Scope] = set()  # function and module scopes with a def or lambda inside
        self._outer_bindings: list[tuple[str, ast.AST, Scope]] = []
        self._walk(tree)
        for name, node, scope in self._outer_bindings:
            owner = scope.parent.binder(name) if scope.parent else None
            (owner or scope).bindings.setdefault(name, []).append(node)

    def _walk(self, tree: ast.Module) -> None:
        stack: list[tuple[ast.AST, Scope]] = [(tree, self.module)]
        self._stack = stack
        parents, handlers, fields = self.parents, _HANDLERS, NODE_FIELDS
        while stack:
            node, scope = stack.pop()
            kind = type(node)
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node, scope)
                continue
            names = fields[kind]
            if not names:
                continue
            todo = []
            for field in names:
                value = getattr(node, field, None)
                if value is None:
                    continue
                if type(value) is list:
                    for item in value:
                        if item is not None:
                            parents[item] = node
                            todo.append((item, scope))
                else:
                    parents[value] = node
                    todo.append((value, scope))
            todo.reverse()
            stack += todo

    def _push(self, parent: ast.AST, nodes: list[ast.AST | None], scope: Scope) -> None:
        todo = []
        for node in nodes:
            if node is not None:
                self.parents[node] = parent
                todo.append((node, scope))
        todo.reverse()
        self._stack += todo

    def bind(self, name: str, node: ast.AST, scope: Scope) -> None:
        """Records that `node` binds `name`, seen from `scope`."""
        if name in scope.globals:
            scope = self.module
        elif name in scope.nonlocals:
            self._outer_bindings.append((name, node, scope))
            return
        scope.bindings.setdefault(name, []).append(node)

    def _constant(self, node: ast.Constant, scope: Scope) -> None:
        return

    def _name(self, node: ast.Name, scope: Scope) -> None:
        self.scope_of[node] = scope
        if type(node.ctx) is not ast.Load:
            self.bind(node.id, node, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        if type(node.ctx) is ast.Store:
            self.stored_attributes.append((node, scope))
        self.parents[node.value] = node
        self._stack.append((node.value, scope))

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        self.imports.append((node, scope))
        for alias in node.names:
            self.parents[alias] = node
            if alias.name == "*":
                assert isinstance(node, ast.ImportFrom)
                scope.stars.append(node)
            else:
                self.bind(local_name(node, alias), alias, scope)

    def _global(self, node: ast.Global, scope: Scope) -> None:
        scope.globals.update(node.names)

    def _nonlocal(self, node: ast.Nonlocal, scope: Scope) -> None:
        scope.nonlocals.update(node.names)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
        self.bind(node.name, node, scope)
        inner = self._open(node, scope)
        type_params = getattr(node, "type_params", [])
        outside = inner if type_params else scope
        self._arguments(node.args, inner)
        self.parents[node.args] = node
        self._push(node, [*node.decorator_list], scope)
        self._push(node.args, self._defaults(node.args), scope)
        for arg in all_arguments(node.args):
            self._annotation(arg, arg.annotation, outside)
        self._annotation(node, node.returns, outside)
        self._push(node, [*type_params, *node.body], inner)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self._open(node, scope)
        self._arguments(node.args, inner)
        self.parents[node.args] = node
        self._push(node.args, self._defaults(node.args), scope)
        self._push(node, [node.body], inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        self.bind(node.name, node, scope)
        inner = self._open(node, scope)
        type_params = getattr(node, "type_params", [])
        self._push(node, [*node.decorator_list, *node.bases, *node.keywords], scope)
        self._push(node, [*type_params, *node.body], inner)

    def _open(self, node: ast.AST, scope: Scope) -> Scope:
        inner = self.scope_of[node] = Scope(node, scope)
        if inner.is_function:
            while scope.parent is not None and not scope.is_function:
                scope = scope.parent
            self.enclosing.add(scope)
        return inner

    @staticmethod
    def _defaults(args: ast.arguments) -> list[ast.AST | None]:
        return [*args.defaults, *args.kw_defaults]

    def _arguments(self, args: ast.arguments, inner: Scope) -> None:
        for arg in all_arguments(args):
            self.parents[arg] = args
            self.bind(arg.arg, arg, inner)

    def _ann_assign(self, node: ast.AnnAssign, scope: Scope) -> None:
        self._push(node, [node.target, node.value], scope)
        self._annotation(node, node.annotation, scope)

    def _annotation(self, owner: ast.AST, annotation: ast.expr | None, scope: Scope) -> None:
        if annotation is None:
            return
        self._push(owner, [annotation], scope)
        if type(annotation) in (ast.Name, ast.Attribute):
            return
        for part in ast.walk(annotation):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                self._string_annotation(part, scope)

    def _string_annotation(self, node: ast.Constant, scope: Scope) -> None:
        try:
            parsed = ast.parse(str(node.value).strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return  # Literal["any text"] and the like
        self.annotations[node] = parsed
        for part in ast.walk(parsed):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
        self._push(node, [parsed], scope)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope) -> None:
        inner = self._open(node, scope)
        elements: list[ast.AST | None] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._push(node, elements, inner)
        for position, generator in reversed(list(enumerate(node.generators))):
            self.parents[generator] = node
            self._push(generator, [generator.target, *generator.ifs], inner)
            self._push(generator, [generator.iter], inner if position else scope)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        self._push(node, [node.value], scope)
        self.parents[node.target] = node
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        self.scope_of[node.target] = scope
        self.bind(node.target.id, node.target, scope)

    def _except(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            self.bind(node.name, node, scope)
        self._push(node, [node.type, *node.body], scope)

    def _match_binder(self, node: ast.MatchAs | ast.MatchStar, scope: Scope) -> None:
        if node.name:
            self.bind(node.name, node, scope)
        if isinstance(node, ast.MatchAs):
            self._push(node, [node.pattern], scope)

    def _match_mapping(self, node: ast.MatchMapping, scope: Scope) -> None:
        if node.rest:
            self.bind(node.rest, node, scope)
        self._push(node, [*node.keys, *node.patterns], scope)

    def _type_parameter(self, node: ast.AST, scope: Scope) -> None:
        self.bind(node.name, node, scope)  # type: ignore[attr-defined]


_HANDLERS: dict[type, Callable[..., None]] = {
    ast.Constant: ScopeTable._constant,
    ast.Name: ScopeTable._name,
    ast.Attribute: ScopeTable._attribute,
    ast.Import: ScopeTable._import,
    ast.ImportFrom: ScopeTable._import,
    ast.Global: ScopeTable._global,
    ast.Nonlocal: ScopeTable._nonlocal,
    ast.FunctionDef: ScopeTable._function,
    ast.AsyncFunctionDef: ScopeTable._function,
    ast.Lambda: ScopeTable._lambda,
    ast.ClassDef: ScopeTable._class,
    ast.AnnAssign: ScopeTable._ann_assign,
    ast.ListComp: ScopeTable._comprehension,
    ast.SetComp: ScopeTable._comprehension,
    ast.GeneratorExp: ScopeTable._comprehension,
    ast.DictComp: ScopeTable._comprehension,
    ast.NamedExpr: ScopeTable._walrus,
    ast.ExceptHandler: ScopeTable._except,
    ast.MatchAs: ScopeTable._match_binder,
    ast.MatchStar: ScopeTable._match_binder,
    ast.MatchMapping: ScopeTable._match_mapping,
    **{
        getattr(ast, name): ScopeTable._type_parameter
        for name in ("TypeVar", "ParamSpec", "TypeVarTuple")
        if hasattr(ast, name)
    },
}
