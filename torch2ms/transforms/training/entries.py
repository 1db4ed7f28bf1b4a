"""Values that carry gradient when a function begins: attributes that other methods set, arguments of its callers."""

from __future__ import annotations

import ast

from torch2ms.analysis.effects import dotted
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.training.callees import Callees
from torch2ms.transforms.training.carriers import Carriers, Env
from torch2ms.transforms.training.tree import Function


class Entries:
    """Answers for one file; also tells `callees` which attributes a method leaves behind."""

    def __init__(self, facts: Facts, callees: Callees) -> None:
        self.facts = facts
        self.callees = callees
        callees.leaves = self.left_by
        self._left: dict[Function, Env] = {}
        self._classes: dict[ast.ClassDef, Env] = {}
        self._entry: dict[ast.AST, Env] = {}
        self._calls: dict[str, list[ast.Call]] | None = None

    def of(self, scope: ast.Module | Function) -> Env:
        """The paths that carry gradient at the start of a function or module."""
        if isinstance(scope, ast.Module):
            return frozenset()
        if scope not in self._entry:
            self._entry[scope] = frozenset()  # a recursive call brings nothing new
            self._entry[scope] = self._attributes(scope) | self._arguments(scope)
        return self._entry[scope]

    def left_by(self, method: Function) -> Env:
        """The attributes of self that a method gives a value with gradient."""
        cls = self.facts.parent(method)
        if not isinstance(cls, ast.ClassDef):
            return frozenset()
        self._held(cls)
        return self._left.get(method, frozenset())

    def _run(self, method: Function, start: Env) -> Env:
        if any(map(self._quiet, method.decorator_list)):
            return frozenset()
        carriers = Carriers(self.facts, self.callees)
        after = carriers.run(method.body, start).union(*carriers.before.values())
        stores = (n for n in walk(method) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
        assigned = {dotted(n) for n in stores}
        called = frozenset().union(*(carriers.left_behind(s) for s in carriers.before if not hasattr(s, "body")))
        return frozenset(p for p in after if p.startswith("self.") and (p in assigned or p in called))

    def _held(self, cls: ast.ClassDef) -> Env:
        """The attributes that carry gradient after some method ran, whatever ran before it; fills `_left`."""
        if cls in self._classes:
            return self._classes[cls]
        methods = [item for item in cls.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
        found: Env = frozenset()
        while True:
            self._classes[cls] = found  # what calls among the methods see so far
            self._left.update({method: self._run(method, found) for method in methods})
            after = found.union(*(self._left[method] for method in methods))
            if after == found:
                return found
            found = after

    def _attributes(self, scope: Function) -> Env:
        cls = self.facts.parent(scope)
        if not isinstance(cls, ast.ClassDef):
            return frozenset()
        methods = [item for item in cls.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return frozenset().union(*(self.left_by(m) for m in methods if m is not scope))

    def _quiet(self, decorator: ast.expr) -> bool:
        return Carriers(self.facts, self.callees).is_quiet(decorator)

    def _arguments(self, scope: Function) -> Env:
        names = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args)]
        found = set()
        for call in self._calls_of(scope):
            offset = 1 if isinstance(call.func, ast.Attribute) and names[:1] == ["self"] else 0
            given = dict(zip(names[offset:], call.args, strict=False)) | {
                k.arg: k.value for k in call.keywords if k.arg
            }
            caller = self.facts.function(call)
            if not isinstance(caller, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            carriers = Carriers(self.facts, self.callees, sure=True)
            carriers.run(caller.body, self.of(caller))
            env = carriers.before.get(self.facts.statement(call), frozenset())
            found |= {name for name, value in given.items() if carriers.carries(value, env)}
        return frozenset(found)

    def _calls_of(self, scope: Function) -> list[ast.Call]:
        if self._calls is None:
            self._calls = {}
            for node in self.facts.names.parents:
                if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
                    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                    self._calls.setdefault(name, []).append(node)
        return [call for call in self._calls.get(scope.name, []) if self.callees.definition(call) is scope]
