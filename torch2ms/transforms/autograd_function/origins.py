"""Where a saved value comes from: an input, an output, or a pure computation from inputs that bprop can repeat."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.facts import Facts
from torch2ms.transforms.autograd_function.saved import Declined

# drawing again would give other numbers than forward saw
_RANDOM = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson dropout dropout1d dropout2d "
    "dropout3d alpha_dropout feature_alpha_dropout rrelu gumbel_softmax uniform_ normal_ bernoulli_ random_ exponential_ empty empty_like "
    "new_empty sample rsample".split()
)
_PURE_BUILTINS = frozenset("len int float bool abs min max sum range tuple list sorted round pow divmod".split())
_PURE_MODULES = ("torch.", "math.", "numpy.")


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of bprop that makes a name available: `name = template(parts)`."""

    name: str
    template: str
    parts: tuple[ast.expr, ...] = ()


class Origins:
    """The values of one forward function, by name."""

    def __init__(self, function: ast.FunctionDef, inputs: list[str], outputs: list[ast.expr], facts: Facts) -> None:
        self._inputs = inputs
        self._facts = facts
        self._stores = _stores(function)
        self._assigned = {
            stmt.targets[0].id: stmt.value
            for stmt in function.body
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
        }
        self._mutated = frozenset(_mutated(function))
        self._outputs = {e.id: i for i, e in enumerate(outputs) if isinstance(e, ast.Name)}
        self._single = len(outputs) == 1

    def steps(self, name: str, out: str) -> list[Step]:
        """The statements that make the forward's `name` available in bprop; none for an unchanged input."""
        if name in self._inputs:
            if self._stores[name] or name in self._mutated:
                raise Declined(f"the input {name} is changed before it is saved")
            return []
        if name in self._mutated:
            raise Declined(f"{name} is written in place")
        if name in self._outputs and self._stores[name] == 1:
            return [Step(name, out if self._single else f"{out}[{self._outputs[name]}]")]
        if self._stores[name] != 1 or name not in self._assigned:
            raise Declined(f"{name} is not the result of one plain assignment")
        value = self._assigned[name]
        return [*self.needed(value, out), Step(name, "$0", (value,))]

    def needed(self, value: ast.expr, out: str) -> list[Step]:
        """The statements that an expression of forward needs before it in bprop; raises Declined if repeating it is not the same."""
        self._check(value)
        found: list[Step] = []
        bound = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        for node in ast.walk(value):
            if (
                isinstance(node, ast.Name)
                and isinstance(node.ctx, ast.Load)
                and node.id not in bound
                and self._local(node.id)
            ):
                found += [step for step in self.steps(node.id, out) if step not in found]
        return found

    def _local(self, name: str) -> bool:
        return name in self._inputs or bool(self._stores[name])

    def _check(self, value: ast.expr) -> None:
        for node in ast.walk(value):
            if isinstance(node, (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)):
                raise Declined("a saved value is not a plain expression")
            if isinstance(node, ast.Call) and not self._pure(node):
                raise Declined(f"repeating `{ast.unparse(node)}` in bprop may give another value")

    def _pure(self, call: ast.Call) -> bool:
        name = self._facts.names.of(call.func)
        if name is not None:
            last = name.rpartition(".")[2]
            if name.startswith("builtins."):
                return last in _PURE_BUILTINS
            return (
                name.startswith(_PURE_MODULES)
                and ".random." not in name
                and last not in _RANDOM
                and not last.endswith("_")
            )
        if isinstance(call.func, ast.Attribute):
            owner = self._facts.kinds.of(call.func.value).kind.name
            return (
                call.func.attr not in _RANDOM
                and not call.func.attr.endswith("_")
                and owner in ("TENSOR", "PARAMETER", "UNKNOWN", "SIZE", "NUMBER")
            )
        return False


def _stores(function: ast.FunctionDef) -> Counter[str]:
    return Counter(
        n.id
        for stmt in function.body
        for n in ast.walk(stmt)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def _mutated(function: ast.FunctionDef) -> Iterator[str]:
    """Names whose value forward changes in place."""
    for stmt in function.body:
        for node in ast.walk(stmt):
            match node:
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                    yield name
                case ast.AugAssign(target=ast.Name(id=name)):
                    yield name
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method.endswith(
                    "_"
                ) and not method.endswith("__"):
                    yield name
