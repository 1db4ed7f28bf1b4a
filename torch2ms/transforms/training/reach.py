"""Which code may run inside a gradient: what regions call, and everything a module computes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from torch2ms.analysis.facts import Facts
from torch2ms.analysis.nodes import walk
from torch2ms.transforms.training.planner import file_plans
from torch2ms.transforms.training.tree import Function, own_nodes


def differentiated(facts: Facts) -> Differentiated:
    """The answers for a file; found once."""
    return facts.once(Differentiated)


class Differentiated:
    """Answers for one file; a function that other files import counts as differentiated, since its callers are not seen."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._plans = file_plans(facts)
        self._inside = {
            stmt for plan in self._plans for step in plan.steps for s in step.forward.kept for stmt in walk(s)
        }
        self._functions: dict[str, list[Function]] = {}
        for node in facts.names.parents:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                makers = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
                self._functions.setdefault(node.name, []).extend(makers)
        self.on_tape = any(plan.taped for plan in self._plans)
        self._reached = self._spread(self._roots(), set())

    @cached_property
    def _perhaps(self) -> set[ast.AST]:
        return self._spread(self._unused(), self._reached)

    def statement(self, stmt: ast.stmt) -> bool:
        """Whether a statement may run inside a gradient."""
        function = self.facts.function(stmt)
        within = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function in self._reached
        return self.on_tape or stmt in self._inside or within

    def perhaps(self, stmt: ast.stmt) -> bool:
        """Whether a statement may run inside a gradient, if whoever calls the functions that the file never names takes some."""
        return self.statement(stmt) or self.facts.function(stmt) in self._perhaps

    def function(self, function: Function) -> bool:
        """Whether a function may be called inside a gradient."""
        return self.on_tape or function in self._reached

    def _roots(self) -> list[ast.AST]:
        todo: list[ast.AST] = [step.event.owner for plan in self._plans for step in plan.steps]
        todo += [s for plan in self._plans for step in plan.steps for s in step.forward.kept]
        todo += [plan.layout.scope for plan in self._plans if plan.given is not None]
        todo += self._methods()
        imported = self.facts.imported_elsewhere
        for functions in self._functions.values():
            todo += [f for f in functions if self.facts.names.qualified(f) in imported and not self._only_makes(f)]
        return todo

    def _unused(self) -> list[Function]:
        """The functions of the module that the file itself never names."""
        used = {n.id for n in self.facts.names.parents if isinstance(n, ast.Name)}
        used |= {n.attr for n in self.facts.names.parents if isinstance(n, ast.Attribute)}
        return [
            item
            for item in self.facts.tree.body
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name not in used
        ]

    def _spread(self, roots: Sequence[ast.AST], known: set[ast.AST]) -> set[ast.AST]:
        """The functions that the roots lead to, and those that are known already."""
        reached = set(known)
        todo = list(roots)
        while todo:
            node = todo.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if node in reached:
                    continue
                reached.add(node)
                todo += node.body
                continue
            for part in own_nodes(node):
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    todo.append(part)
                name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else None
                todo += self._functions.get(name, []) if name is not None else []
        return reached

    def _methods(self) -> list[Function]:
        """The methods of modules and of autograd Functions."""
        found: list[Function] = []
        for node in self.facts.names.parents:
            if isinstance(node, ast.ClassDef):
                role = self.facts.project.role(self.facts.names.qualified(node))
                if role in ("module", "function"):
                    found += [item for item in node.body if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return [f for f in found if not self._only_makes(f)]

    def _only_makes(self, function: Function) -> bool:
        """Whether the function runs only while objects are made, and keeps no code that would run later."""
        known = self.facts.project.functions.get(self.facts.names.qualified(function))
        if known is None or not known.constructing:
            return False
        inside = [n for n in walk(function) if n is not function]
        if any(isinstance(n, (ast.Lambda, ast.ClassDef)) for n in inside):
            return False
        nested = {n.name for n in inside if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
        called = {id(n.func) for n in inside if isinstance(n, ast.Call)}
        return all(id(n) in called for n in inside if isinstance(n, ast.Name) and n.id in nested)
