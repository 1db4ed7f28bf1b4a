"""Where gradients run: code that is never differentiated, code under no_grad, and graphs that a write there would drop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from torch2ms.analysis.aliases import Aliases
from torch2ms.analysis.aliases.storage import Root, Sort
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.transforms.training.reach import differentiated
from torch2ms.transforms.training.recording import is_no_grad

# functions whose result carries no graph
CREATING = frozenset(
    "zeros ones empty full tensor arange linspace eye rand randn randint randperm zeros_like ones_like empty_like full_like rand_like "
    "randn_like as_tensor from_numpy".split()
)


class Quiet:
    """Answers about one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def _aliases(self, node: ast.AST) -> Aliases:
        return self.facts.aliases(self.facts.function(node))

    def is_free(self, node: ast.AST) -> bool:
        """Whether no gradient can run through the place: under no_grad, or in code that is never differentiated.

        A function that the file never names may be called from anywhere, inside a gradient too.
        """
        return self.is_quiet(node) or not differentiated(self.facts).perhaps(self.facts.statement(node))

    def is_unseen(self, node: ast.AST) -> bool:
        """Whether only callers that are not seen may take gradients through the place."""
        return not self.is_free(node) and not differentiated(self.facts).statement(self.facts.statement(node))

    def is_quiet(self, node: ast.AST) -> bool:
        """Whether the place stands under no_grad."""
        return any(
            self._opens_no_grad(above)
            or isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef))
            and (above in self._quiet_functions or self._is_forward_of_function(above))
            for above in self._around(node)
        )

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        above = self.facts.parent(node)
        while above is not None:
            yield above
            above = self.facts.parent(above)

    def _opens_no_grad(self, node: ast.AST) -> bool:
        """Whether this is a with-statement or a function under no_grad."""
        if isinstance(node, (ast.With, ast.AsyncWith)):
            return any(is_no_grad(self.facts, item.context_expr) for item in node.items)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return any(is_no_grad(self.facts, decorator) for decorator in node.decorator_list)
        return False

    @cached_property
    def _quiet_functions(self) -> set[ast.AST]:
        """The private functions of the file that are only ever called under no_grad; an import makes them known elsewhere."""
        uses: dict[str, list[ast.Name]] = {}
        for node in self.facts.names.parents:
            if isinstance(node, ast.Name) and node.id.startswith("_"):
                uses.setdefault(node.id, []).append(node)
        found: set[ast.AST] = set()
        self.__dict__["_quiet_functions"] = found  # a function that calls itself stays out
        for stmt in self.facts.tree.body:
            if isinstance(stmt, ast.FunctionDef) and self.facts.names.qualified(stmt) not in self.facts.imported_elsewhere:
                calls = [(use, self.facts.parent(use)) for use in uses.get(stmt.name, ())]
                if calls and all(
                    isinstance(call, ast.Call) and call.func is use and self.is_quiet(call) for use, call in calls
                ):
                    found.add(stmt)
        return found

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
        if quiet is None or not differentiated(self.facts).statement(quiet):
            return False
        info = self.facts.kinds.of(target)
        if info.kind is not Kind.TENSOR or not info.certain:
            return False
        return any(self._carries(root, quiet) for root in self._aliases(target).origins(target))

    def keeps_graph(self, target: ast.expr) -> bool:
        """Whether a write under no_grad leaves the target with a graph that it may carry."""
        return isinstance(target, ast.Name) and self.loses_graph(target)

    def _carries(self, root: Root, quiet: ast.With) -> bool:
        if not isinstance(root.key, ast.AST):
            return root.sort is Sort.PARAMETER
        if isinstance(root.key, ast.Call):
            name = (self.facts.names.of(root.key.func) or "").rpartition(".")[2]
            if name in CREATING or any(k.arg == "requires_grad" for k in root.key.keywords):
                return False
        return root.key not in set(ast.walk(quiet))

    def _quiet_block(self, node: ast.AST) -> ast.With | None:
        """The outermost no_grad block around a node in a function that records."""
        found = None
        for above in self._around(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return None if self._opens_no_grad(above) else found
            if isinstance(above, ast.With) and self._opens_no_grad(above):
                found = above
        return found
