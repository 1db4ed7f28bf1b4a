"""Where gradients run: code that is never differentiated, code under no_grad, and graphs that a write there would drop."""

from __future__ import annotations

import ast
from functools import cached_property

from torch2ms.analysis.aliases import Aliases
from torch2ms.analysis.aliases.storage import Root, Sort
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.reach import Differentiated

_QUIET = ("torch.no_grad", "torch.inference_mode")
# functions whose result carries no graph
CREATING = frozenset(
    "zeros ones empty full tensor arange linspace eye rand randn randint randperm zeros_like ones_like empty_like full_like rand_like "
    "randn_like as_tensor from_numpy".split()
)


class Quiet:
    """Answers about one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @cached_property
    def _reach(self) -> Differentiated:
        return Differentiated(self.facts)

    def _aliases(self, node: ast.AST) -> Aliases:
        return self.facts.aliases(self.facts.function(node))

    def is_free(self, node: ast.AST) -> bool:
        """Whether no gradient can run through the place: under no_grad, or in code that is never differentiated.

        A function that the file never names may be called from anywhere, inside a gradient too.
        """
        return self.is_quiet(node) or not self._reach.perhaps(self.facts.statement(node))

    def is_unseen(self, node: ast.AST) -> bool:
        """Whether only callers that are not seen may take gradients through the place."""
        return not self.is_free(node) and not self._reach.statement(self.facts.statement(node))

    def is_quiet(self, node: ast.AST) -> bool:
        """Whether the place stands under no_grad."""
        current = self.facts.parent(node)
        while current is not None:
            if isinstance(current, (ast.With, ast.AsyncWith)):
                if any(self._is_no_grad(item.context_expr) for item in current.items):
                    return True
            if isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if any(self._is_no_grad(d) for d in current.decorator_list):
                    return True
                if current in self._quiet_functions or self._is_forward_of_function(current):
                    return True
            current = self.facts.parent(current)
        return False

    @cached_property
    def _quiet_functions(self) -> set[ast.AST]:
        """The private functions of the file that are only ever called under no_grad; an import makes them known elsewhere."""
        uses: dict[str, list[ast.Name]] = {}
        for node in self.facts.names.parents:
            if isinstance(node, ast.Name) and node.id.startswith("_"):
                uses.setdefault(node.id, []).append(node)
        elsewhere = {
            target
            for module in self.facts.project.modules.values()
            if module.name != self.facts.names.module
            for target in module.exports.values()
        }
        found: set[ast.AST] = set()
        self.__dict__["_quiet_functions"] = found  # a function that calls itself stays out
        for stmt in self.facts.tree.body:
            if isinstance(stmt, ast.FunctionDef) and self.facts.names.qualified(stmt) not in elsewhere:
                calls = [(use, self.facts.parent(use)) for use in uses.get(stmt.name, ())]
                if calls and all(
                    isinstance(call, ast.Call) and call.func is use and self.is_quiet(call) for use, call in calls
                ):
                    found.add(stmt)
        return found

    def _is_no_grad(self, expr: ast.expr) -> bool:
        return self.facts.names.of(expr.func if isinstance(expr, ast.Call) else expr) in _QUIET

    def _is_forward_of_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether this is the forward of an autograd.Function, which runs unrecorded; its gradient is backward."""
        above = self.facts.parent(node)
        return (
            node.name == "forward"
            and isinstance(above, ast.ClassDef)
            and any(
                name is not None and (name == "torch.autograd.Function" or self.facts.project.is_function(name))
                for name in map(self.facts.names.of, above.bases)
            )
        )

    def loses_graph(self, target: ast.expr) -> bool:
        """Whether the place stands under no_grad, and the target may carry a graph that was made outside of it."""
        quiet = self._quiet_block(target)
        if quiet is None or not self._reach.statement(quiet):
            return False
        info = self.facts.kinds.of(target)
        if info.kind is not Kind.TENSOR or not info.certain:
            return False
        return any(self._carries(root, quiet) for root in self._aliases(target).origins(target))

    def _carries(self, root: Root, quiet: ast.With) -> bool:
        if not isinstance(root.key, ast.AST):
            return root.sort is Sort.PARAMETER
        if isinstance(root.key, ast.Call):
            name = (self.facts.names.of(root.key.func) or "").rpartition(".")[2]
            if name in CREATING or any(k.arg == "requires_grad" for k in root.key.keywords):
                return False
        return root.key not in set(ast.walk(quiet))

    def _quiet_block(self, node: ast.AST) -> ast.With | None:
        current = self.facts.parent(node)
        found = None
        while current is not None and not isinstance(current, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if isinstance(current, ast.With) and any(self._is_no_grad(item.context_expr) for item in current.items):
                found = current
            current = self.facts.parent(current)
        if current is not None and any(self._is_no_grad(d) for d in current.decorator_list):
            return None
        return found
