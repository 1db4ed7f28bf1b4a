"""What is known of one file: names, kinds, flow, storages and surroundings of its nodes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from torch2ms.analysis.aliases import Aliases
from torch2ms.analysis.flow import Flow
from torch2ms.analysis.kinds import Kinds, infer_kinds
from torch2ms.analysis.left_alone import is_marked, skip_lines
from torch2ms.analysis.names import Names
from torch2ms.analysis.project import CallEffects, ModuleFacts, ProjectFacts
from torch2ms.source import SourceFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked of the conversion."""

    target: str = "portable"  # or "pure": no runtime package
    jit: bool = False
    tape: bool = True
    runtime_package: str = "torch2ms.runtime"


class Facts:
    """Names, kinds, flow and surroundings of one file."""

    def __init__(
        self, source: SourceFile, tree: ast.Module, names: Names, project: ProjectFacts, options: Options
    ) -> None:
        self.source = source
        self.tree = tree
        self.names = names
        self.project = project
        self.options = options
        self._found: dict[Callable[[Facts], Any], Any] = {}
        self._flows: dict[ast.AST, Flow] = {}
        self._aliases: dict[ast.AST, Aliases] = {}
        self._effects: dict[str, CallEffects] = {}
        self._harmless: set[str] = set()  # functions that write nothing in place
        self.effects_elsewhere: Callable[[str], CallEffects | None] = self._effects_in_project

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of the file's expressions."""
        return infer_kinds(self.names, self.project)

    def once(self, find: Callable[[Facts], T]) -> T:
        """What a function finds out about the file; it is asked once, and its answer goes with the facts."""
        if find not in self._found:
            self._found[find] = find(self)
        answer: T = self._found[find]
        return answer

    @cached_property
    def imported_elsewhere(self) -> frozenset[str]:
        """The qualified names that other files of the project import."""
        return frozenset(target for module in self._others() for target in module.exports.values())

    @cached_property
    def is_starred(self) -> bool:
        """Whether another file of the project imports everything of this one."""
        return any(self.names.module in module.stars for module in self._others())

    def _others(self) -> Iterator[ModuleFacts]:
        return (module for module in self.project.modules.values() if module.name != self.names.module)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that holds this one; for a parsed string annotation the string."""
        return self.names.parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds the node (itself, if it is one)."""
        current: ast.AST | None = node
        while current is not None and not isinstance(current, ast.stmt):
            current = self.names.parents.get(current)
        if current is None:
            raise ValueError("the node is in no statement of this file")
        return current

    def function(self, node: ast.AST) -> FunctionNode:
        """The innermost def, lambda or module around the node (decorators, defaults and annotations are outside of their def)."""
        child, current = node, self.names.parents.get(node)
        while current is not None:
            if isinstance(current, ast.Lambda) and child is current.body:
                return current
            if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)) and child in current.body:
                return current
            child, current = current, self.names.parents.get(current)
        return self.tree

    def enclosing_class(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose body holds the node, also from inside its methods."""
        current = self.names.parents.get(node)
        while current is not None and not isinstance(current, ast.ClassDef):
            current = self.names.parents.get(current)
        return current

    def flow(self, function: FunctionNode) -> Flow:
        """The flow of a def, lambda or module."""
        found = self._flows.get(function)
        if found is None:
            found = self._flows[function] = Flow(function, self.names)
        return found

    def aliases(self, function: FunctionNode) -> Aliases:
        """The storages of a def, lambda or module: who shares with whom, and where values are written in place."""
        found = self._aliases.get(function)
        if found is None:
            found = self._aliases[function] = Aliases(self, function)
        return found

    def forget(self) -> None:
        """Lets go of flows and storages, which are found again when they are asked for."""
        self._flows.clear()
        self._aliases.clear()

    def call_effects(self, qualified: str) -> CallEffects | None:
        """What calling a function of the project does to the storages of its arguments; None for other functions."""
        if qualified in self._effects:
            return self._effects[qualified]
        facts = self.project.functions.get(qualified)
        nodes = self._definitions.get(qualified, [])
        if facts is None or not nodes:
            return self.effects_elsewhere(qualified)
        self._effects[qualified] = CallEffects.anything(facts.parameters)  # while it calls itself
        found = [self.aliases(node).effects for node in nodes]
        self._effects[qualified] = found[0] if len(found) == 1 else CallEffects.anything(facts.parameters)
        return self._effects[qualified]

    def call_writes(self, qualified: str) -> frozenset[str] | None:
        """The parameters that a function of the project writes to in place; None for other functions.

        As `call_effects` tells, but storages are only looked at where the function writes anything at all.
        """
        if qualified in self._harmless:
            return frozenset()
        facts = self.project.functions.get(qualified)
        nodes = self._definitions.get(qualified, [])
        if facts is not None and len(nodes) == 1 and qualified not in self._effects:
            self._effects[qualified] = CallEffects.anything(facts.parameters)  # while it calls itself
            writes = self.aliases(nodes[0]).writes
            del self._effects[qualified]
            if not writes:
                self._harmless.add(qualified)
                return frozenset()
        effects = self.call_effects(qualified)
        return None if effects is None else effects.writes

    def _effects_in_project(self, qualified: str) -> CallEffects | None:
        facts = self.project.functions.get(qualified)
        return facts.effects if facts is not None else None

    @cached_property
    def _definitions(self) -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
        found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        for node in self.names.table.scope_of:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(self.names.qualified(node), []).append(node)
        return found

    def skipped(self, node: ast.AST) -> bool:
        """Whether a `# torch2ms: skip` on a def or class around the node, or a `skip-file`, leaves it alone."""
        if not self._skips:
            return False
        if 0 in self._skips:
            return True
        current: ast.AST | None = node
        while current is not None:
            if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if is_marked(current, self._skips):
                    return True
            current = self.names.parents.get(current)
        return False

    @cached_property
    def _skips(self) -> frozenset[int]:
        """Lines with a skip comment; 0 stands for the whole file."""
        return skip_lines(self.source.text)
