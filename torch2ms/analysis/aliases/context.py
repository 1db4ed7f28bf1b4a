"""What the evaluation of storages knows of the file and of the functions that are called."""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from torch2ms.analysis.aliases.storage import Sort, State, Value
from torch2ms.analysis.lattice import TENSOR_KINDS, Kind, KindInfo

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts, FunctionNode
    from torch2ms.analysis.flow import Flow
    from torch2ms.analysis.project import CallEffects

Index = Literal["basic", "advanced", "unknown"]


class Context:
    """One function and its file."""

    def __init__(self, facts: Facts, function: FunctionNode) -> None:
        self.facts = facts
        self.function = function
        self.names = facts.names
        self.kinds = facts.kinds
        self.project = facts.project
        self._walrus: dict[ast.AST, frozenset[str]] = {}

    @cached_property
    def flow(self) -> Flow:
        """The flow of the function; built only where something is written in place."""
        return self.facts.flow(self.function)

    def walrus_targets(self, node: ast.expr) -> frozenset[str]:
        """The names that `:=` binds inside an expression."""
        found = self._walrus.get(node)
        if found is None:
            found = self._walrus[node] = self.flow.writes([node])
        return found

    def eval(self, node: ast.expr, state: State) -> Value:
        """What the value of an expression can share."""
        raise NotImplementedError

    def bind_items(self, target: ast.expr, source: ast.expr, value: Value, state: State) -> None:
        """Binds the target of a loop."""
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Value, state: State, source: ast.expr | None = None) -> None:
        """Assigns a value to a target."""
        raise NotImplementedError

    def items(self, value: Value, source: ast.expr | None, state: State) -> Value:
        """What iterating a value gives."""
        raise NotImplementedError

    def effects_of(self, qualified: str) -> CallEffects | None:
        """The effects of a function of the project; None for one that is not known."""
        return self.facts.call_effects(qualified)

    def writes_of(self, qualified: str) -> frozenset[str]:
        """The parameters that a function of the project writes to in place."""
        return self.facts.call_writes(qualified) or frozenset()

    def is_super(self, node: ast.expr) -> bool:
        """Whether the expression is `super()`."""
        return isinstance(node, ast.Call) and self.names.of(node.func) == "builtins.super"

    def next_definers(self, method: str) -> list[str]:
        """What `super().method` runs: the next class above the one around the function."""
        cls = self.facts.enclosing_class(self.function)
        bases = list(self.project.bases(self.names.qualified(cls)))[1:] if cls is not None else []
        found = [c for c in bases if (f := self.project.classes.get(c)) is not None and method in f.methods]
        return [f"{owner}.{method}" for owner in found[:1]]

    def method_definers(self, func: ast.Attribute) -> list[str]:
        """The functions of the project that `receiver.method(...)` can run."""
        if self.is_super(func.value):
            return self.next_definers(func.attr)
        return self.definers(self.kinds.of(func.value), func.attr)

    def callees(self, node: ast.Call, name: str | None) -> list[tuple[str, ast.expr | None]]:
        """The functions of the project that a call can run, with the expression that becomes the first parameter."""
        func = node.func
        if name is not None:
            return [(name, None)] if name in self.project.functions else []
        info = self.kinds.of(func)
        if info.kind is Kind.MODULE:
            return [(q, func) for q in self.definers(info, "forward")]
        if isinstance(func, ast.Attribute):
            found = self.method_definers(func)
            return [
                (q, None if self.project.functions[q].binding == "static" else func.value)
                for q in found
                if q in self.project.functions
            ]
        if info.kind is Kind.OTHER and info.certain:
            return [(q, func) for q in self.definers(info, "__call__")]
        if info.kind is Kind.CALLABLE and info.items is None:
            return [(q, None) for q in info.classes if q in self.project.functions]
        return []

    def parameters_of(self, qualified: str) -> list[str]:
        """The parameters of a function of the project, in order."""
        facts = self.project.functions.get(qualified)
        return list(facts.parameters) if facts is not None else []

    def definers(self, info: KindInfo, method: str) -> list[str]:
        """The qualified functions that a method call on such an object can run."""
        found: list[str] = []
        for cls in info.classes:
            owners = [
                c
                for c in self.project.bases(cls)
                if (f := self.project.classes.get(c)) is not None and method in f.methods
            ][:1]
            if cls in self.project.classes:
                owners += [c for c in self.project.subclasses(cls) if method in self.project.classes[c].methods]
            found += [f"{owner}.{method}" for owner in owners]
        return found

    def unsettle(self, state: State) -> None:
        """After a call of code that may assign attributes: paths may hold something else."""
        for path, value in state.env.items():
            if "." in path:
                state.env[path] = value | state.at(Sort.ATTRIBUTE, path).loosely

    def index_kind(self, index: ast.expr) -> Index:
        """Whether indexing a tensor with this gives a view (basic), a copy (advanced), or one of them."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        kinds = {self._part_kind(part) for part in parts}
        return "advanced" if "advanced" in kinds else "unknown" if "unknown" in kinds else "basic"

    def _part_kind(self, part: ast.expr) -> Index:
        if isinstance(part, ast.Slice) or isinstance(part, ast.Constant) and not isinstance(part.value, bool):
            return "basic"
        if isinstance(part, (ast.List, ast.ListComp)):
            return "advanced"
        info = self.kinds.of(part)
        if not info.certain or info.optional:
            return "unknown"
        if info.kind is Kind.NUMBER and info.dtype != "bool" or info.kind is Kind.NONE:
            return "basic"
        if info.kind in TENSOR_KINDS and info.dtype in ("bool", "uint8"):
            return "advanced"
        return "unknown"  # a tensor without dimensions counts as a number
