"""One namespace and the names that it binds."""

from __future__ import annotations

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def all_arguments(args: ast.arguments) -> list[ast.arg]:
    """Every parameter of a def or lambda, in the order of the signature."""
    every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
    return [arg for arg in every if arg is not None]


class Scope:
    """One namespace: a module, class, function, lambda or comprehension."""

    __slots__ = ("node", "parent", "bindings", "globals", "nonlocals", "stars")

    def __init__(self, node: ast.AST, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        # name -> the nodes that bind it, in source order: Name, alias, arg, FunctionDef, ClassDef, ExceptHandler, Match*
        self.bindings: dict[str, list[ast.AST]] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.stars: list[ast.ImportFrom] = []

    @property
    def is_class(self) -> bool:
        """Whether names of this scope are invisible in the scopes inside it."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        """Whether `:=` in this scope binds outside it."""
        return isinstance(self.node, _COMPREHENSIONS)

    @property
    def is_function(self) -> bool:
        """Whether this is the scope of a def or a lambda."""
        return isinstance(self.node, _FUNCTIONS)

    def module(self) -> Scope:
        """The scope of the module."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def binder(self, name: str) -> Scope | None:
        """The scope that binds `name` as seen from here; None for a builtin, an undefined or a star-imported name."""
        scope: Scope | None = self
        while scope is not None:
            if scope is self or not scope.is_class:
                if name in scope.globals:
                    module = scope.module()
                    return module if name in module.bindings else None
                if name in scope.bindings:
                    return scope
            scope = scope.parent
        return None
