"""What is known about the place of a write: can it be differentiated, who else holds the storage and reads it later."""

from __future__ import annotations

import ast
from functools import cached_property

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.transforms.inplace.mutators import Mutator, mutators
from torch2ms.transforms.inplace.values import bare
from torch2ms.transforms.training.reach import Differentiated

_QUIET = ("torch.no_grad", "torch.inference_mode")


class Surroundings:
    """Answers about one file."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    @cached_property
    def _reach(self) -> Differentiated:
        return Differentiated(self.facts)

    def is_free(self, node: ast.AST) -> bool:
        """Whether no gradient can run through the place: under no_grad, or in code that is never differentiated."""
        return self.is_quiet(node) or not self._reach.statement(self.facts.statement(node))

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

    def is_local(self, name: str, node: ast.AST) -> bool:
        """Whether the name is a variable of the function around the node, so that it can be bound anew there."""
        flow = self.facts.flow(self.facts.function(node))
        return name in flow.locals and name not in flow.shared

    def is_parameter(self, name: str, node: ast.AST) -> bool:
        """Whether the name still stands for what the caller gave."""
        function = self.facts.function(node)
        return (
            isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            and name in self.facts.flow(function).parameters
        )

    def is_rebound(self, target: ast.Name) -> bool:
        """Whether the function binds the name itself anywhere."""
        function = self.facts.function(target)
        return any(
            isinstance(n, ast.Name)
            and n.id == target.id
            and isinstance(n.ctx, ast.Store)
            and not isinstance(self.facts.parent(n), ast.AugAssign)
            for n in ast.walk(function)
        )

    def is_iterated(self, target: ast.expr) -> bool:
        """Whether the name is the variable of a loop: binding it anew changes nothing in what is looped over."""
        if not isinstance(target, ast.Name):
            return False
        loops = (
            n
            for n in ast.walk(self.facts.function(target))
            if isinstance(n, (ast.For, ast.AsyncFor, ast.comprehension))
        )
        return any(isinstance(n, ast.Name) and n.id == target.id for loop in loops for n in ast.walk(loop.target))

    def comes_from_call(self, target: ast.Name) -> bool:
        """Whether every binding of the name in the function takes the result of a call or of arithmetic."""
        found = False
        for node in ast.walk(self.facts.function(target)):
            if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Store):
                above = self.facts.parent(node)
                if isinstance(above, ast.AugAssign):
                    continue
                if not isinstance(above, (ast.Assign, ast.AnnAssign)) or not isinstance(
                    above.value, (ast.Call, ast.BinOp, ast.IfExp)
                ):
                    return False
                found = True
        return found

    def callers_take_the_result(self, target: ast.Name) -> bool:
        """Whether the function is one whose callers go on with what it returns: a forward, or one that returns the name."""
        function = self.facts.function(target)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
        if function.name == "forward" and self.facts.enclosing_class(function) is not None:
            return True
        ignored = any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and _called(n.value) == function.name
            for n in ast.walk(self.facts.tree)
        )
        returns = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(function))
        return returns and not ignored

    def returns_anew(self, target: ast.Name) -> bool:
        """Whether the target is the argument of a function whose callers are made to bind the new value."""
        function = self.facts.function(target)
        return any(m.node is function and m.parameter == target.id for m in self.mutators.values())

    @cached_property
    def mutators(self) -> dict[str, Mutator]:
        """The functions that return what they wrote to their argument."""
        return mutators(self.facts)

    def others(self, target: ast.expr) -> dict[str, Sharing]:
        """The other names and paths that may share the storage of the target and are read later."""
        stmt = self.facts.statement(target)
        aliases = self.facts.aliases(self.facts.function(target))
        own = ast.unparse(bare(target))
        live = self.facts.flow(self.facts.function(target)).live_out([stmt])
        found = {}
        for name, sharing in aliases.holders(target).items():
            head = name.partition(".")[0]
            if name == own or name.startswith(own + ".") or own.startswith(name + "."):
                continue
            if head in live or "." in name:
                found[name] = sharing
        return found

    def seen_outside(self, target: ast.expr) -> Sharing:
        """Whether a write to the target's storage is seen outside the function."""
        return self.facts.aliases(self.facts.function(target)).seen_outside(target)

    def is_new(self, target: ast.expr) -> bool:
        """Whether the value was made right here and nothing else can hold it."""
        if isinstance(target, ast.Call) and not any(self.facts.kinds.of(a).kind in TENSOR_KINDS for a in target.args):
            # a legacy constructor under another name: Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
            made = self.facts.kinds.of(target.func).classes
            if made and all(name.startswith("torch.") and name.endswith("Tensor") for name in made):
                return True
        return self.facts.aliases(self.facts.function(target)).is_private(target)

    def is_leaf(self, target: ast.expr) -> bool:
        """Whether the target is a Parameter or a registered buffer, which live on in their Cell."""
        if self.facts.kinds.of(target).kind is Kind.PARAMETER or self._is_loop_parameter(target):
            return True
        if isinstance(target, ast.Attribute):
            return (
                target.attr in self._buffers
                or self.facts.kinds.of(target.value).kind is Kind.MODULE
                and (target.attr in ("weight", "bias", "running_mean", "running_var"))
            )
        return False

    def _is_loop_parameter(self, target: ast.expr) -> bool:
        """Whether the name runs over `net.parameters()`, alone or in a zip."""
        if not isinstance(target, ast.Name):
            return False
        node: ast.AST | None = self.facts.parent(target)
        while node is not None and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if isinstance(node, ast.For):
                match node.target, node.iter:
                    case ast.Name(id=name), source if name == target.id:
                        return _gives_parameters(source)
                    case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=args):
                        for element, source in zip(elements, args, strict=False):
                            if isinstance(element, ast.Name) and element.id == target.id:
                                return _gives_parameters(source)
            node = self.facts.parent(node)
        return False

    def is_buffer(self, target: ast.expr) -> bool:
        """Whether the target is registered as a buffer in this file."""
        return isinstance(target, ast.Attribute) and target.attr in self._buffers

    @cached_property
    def _buffers(self) -> frozenset[str]:
        found = set()
        for node in ast.walk(self.facts.tree):
            match node:
                case ast.Call(func=ast.Attribute(attr="register_buffer"), args=[ast.Constant(value=str(name)), *_]):
                    found.add(name)
        return frozenset(found)


def _called(call: ast.Call) -> str | None:
    func = call.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else None


def _gives_parameters(source: ast.expr) -> bool:
    return isinstance(source, ast.Call) and _called(source) == "parameters" and not source.args
