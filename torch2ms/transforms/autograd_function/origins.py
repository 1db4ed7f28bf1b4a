"""Where a saved value comes from: an input, an output, or a pure computation from inputs that bprop can repeat."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from torch2ms.analysis.aliases import Sharing
from torch2ms.analysis.facts import Facts
from torch2ms.analysis.kinds import Kind
from torch2ms.analysis.lattice import TENSOR_KINDS
from torch2ms.analysis.torch_functions import TENSOR_METHOD_NAMES
from torch2ms.transforms.autograd_function.saved import Declined

# drawing again would give other numbers than forward saw, and running statistics move with each call
_IMPURE = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson dropout dropout1d dropout2d "
    "dropout3d alpha_dropout feature_alpha_dropout rrelu gumbel_softmax uniform_ normal_ bernoulli_ random_ exponential_ empty empty_like "
    "new_empty new sample rsample batch_norm instance_norm is_grad_enabled get_default_dtype get_rng_state initial_seed".split()
)
_PURE_BUILTINS = frozenset(
    "len int float bool abs min max sum range tuple list sorted round pow divmod isinstance zip".split()
)
_PURE_MODULES = ("torch.", "math.", "numpy.")
_TENSOR_ATTRIBUTES = frozenset(
    "shape dtype device T mT H data ndim size requires_grad real imag is_cuda itemsize nbytes".split()
)
_VALUES = (*TENSOR_KINDS, Kind.SIZE, Kind.NUMBER, Kind.STRING, Kind.DTYPE, Kind.DEVICE)


@dataclass(frozen=True, slots=True)
class Step:
    """One statement of bprop that makes a name available: `name = template(parts)`."""

    name: str
    template: str
    parts: tuple[ast.expr, ...] = ()


class Origins:
    """The values of one forward function, by name."""

    def __init__(self, function: ast.FunctionDef, inputs: list[str], outputs: list[ast.expr], facts: Facts) -> None:
        self._function = function
        self._inputs = inputs
        self._facts = facts
        self.stores = _stores(function)
        self._assigned = {
            stmt.targets[0].id: stmt.value
            for stmt in function.body
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
        }
        self._items = dict(_unpacked(function, inputs))
        self.mutated = self.changed_in(function)
        self._outputs = {e.id: i for i, e in enumerate(outputs) if isinstance(e, ast.Name)}
        self._single = len(outputs) == 1
        self.repeated = False  # whether bprop computes anything again that may carry a gradient

    def steps(self, name: str, out: str) -> list[Step]:
        """The statements that make the forward's `name` available in bprop; none for an unchanged input."""
        if name in self._inputs:
            if self.stores[name] or name in self.mutated:
                raise Declined(f"the input {name} is changed before it is saved")
            return []
        if name in self._outputs and self.stores[name] == 1:
            return [Step(name, out if self._single else f"{out}[{self._outputs[name]}]")]
        if name in self.mutated:
            raise Declined(f"{name} is written in place")
        if self.stores[name] == 1 and name in self._items:
            source, i = self._items[name]
            return [*self.steps(source, out), Step(name, f"{source}[{i}]")]
        if self.stores[name] != 1 or name not in self._assigned:
            raise Declined(f"{name} is not the result of one plain assignment")
        value = self._assigned[name]
        return [*self.needed(value, out), Step(name, "$0", (value,))]

    def needed(self, value: ast.expr, out: str) -> list[Step]:
        """The statements that an expression of forward needs before it in bprop; raises Declined if repeating it is not the same."""
        self.check(value)
        if self._facts.kinds.of(value).kind not in (Kind.SIZE, Kind.NUMBER, Kind.STRING, Kind.DTYPE, Kind.DEVICE):
            self.repeated = True
        found: list[Step] = []
        bound = {n.id for n in ast.walk(value) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        for node in ast.walk(value):
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in bound:
                continue
            if self._local(node.id):
                found += [step for step in self.steps(node.id, out) if step not in found]
            else:
                self._check_outer(node)
        return found

    def item(self, value: ast.expr, out: str) -> str | None:
        """What stands in bprop for an item of a tuple that only setup_context has; None for other expressions."""
        return None

    def changed_in(self, function: ast.FunctionDef) -> frozenset[str]:
        """The names whose value the function may write in place, by themselves or through one that shares the storage."""
        aliases = self._facts.aliases(function)
        return frozenset(
            name
            for write in aliases.writes
            for name, sharing in aliases.holders(write.target).items()
            if sharing in (Sharing.SURE, Sharing.MAYBE)
        )

    def _local(self, name: str) -> bool:
        return name in self._inputs or bool(self.stores[name])

    def check(self, value: ast.expr) -> None:
        """Raise Declined where evaluating the expression a second time may give something else."""
        for node in ast.walk(value):
            match node:
                case ast.Lambda() | ast.Await() | ast.Yield() | ast.YieldFrom() | ast.NamedExpr():
                    raise Declined("a saved value is not a plain expression")
                case ast.Call() if not self.is_pure(node):
                    raise Declined(f"repeating `{ast.unparse(node)}` in bprop may give another value")
                case ast.Attribute() if not self._constant_attribute(node):
                    raise Declined(f"`{ast.unparse(node)}` may have changed when bprop runs")
                case ast.Subscript() if not self._is_value(node.value):
                    raise Declined(f"`{ast.unparse(node)}` may have changed when bprop runs")

    def _check_outer(self, node: ast.Name) -> None:
        """A name of an outer scope must mean in bprop what it meant in forward."""
        if self._facts.names.of(node) is not None and not self._is_variable(node):
            return
        raise Declined(f"{node.id} may have changed when bprop runs")

    def _is_variable(self, node: ast.Name) -> bool:
        """Whether the name of the module or of an outer function is bound by anything but an import, a def or one constant."""
        scope = self._facts.names.binder(node)
        if scope is None:
            return False
        bindings = scope.bindings[node.id]
        if not any(isinstance(b, ast.Name) for b in bindings):
            return any(isinstance(b, ast.arg) for b in bindings)
        above = self._facts.parent(bindings[0])
        return len(bindings) > 1 or not (isinstance(above, ast.Assign) and isinstance(above.value, ast.Constant))

    def _constant_attribute(self, node: ast.Attribute) -> bool:
        above = self._facts.parent(node)
        if isinstance(above, ast.Call) and above.func is node or self._facts.names.of(node) is not None:
            return True
        if isinstance(above, ast.Attribute) and self._facts.names.of(above) is not None:
            return True
        kind = self._facts.kinds.of(node.value).kind
        return kind in _VALUES or kind is Kind.UNKNOWN and node.attr in _TENSOR_ATTRIBUTES

    def _is_value(self, node: ast.expr) -> bool:
        if self._facts.kinds.of(node).kind in _VALUES:
            return True
        return isinstance(node, ast.Attribute) and node.attr == "shape"

    def is_pure(self, call: ast.Call) -> bool:
        """Whether the call gives the same value each time and changes nothing."""
        name = self._facts.names.of(call.func)
        if name is not None:
            last = name.rpartition(".")[2]
            if name.startswith("builtins."):
                return last in _PURE_BUILTINS
            return (
                name.startswith(_PURE_MODULES)
                and ".random." not in name
                and last not in _IMPURE
                and not last.endswith("_")
                and not any(k.arg in ("out", "inplace") for k in call.keywords)
            )
        if isinstance(call.func, ast.Attribute):
            method = call.func.attr
            if method in _IMPURE or method.endswith("_") or method not in TENSOR_METHOD_NAMES:
                return False
            return self._facts.kinds.of(call.func.value).kind in (*_VALUES, Kind.UNKNOWN)
        return False


def _unpacked(function: ast.FunctionDef, inputs: list[str]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Names that take one item each of an input: `a, b = args`."""
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Name(id=source)) if source in inputs:
                for i, target in enumerate(targets):
                    if not isinstance(target, ast.Name):
                        break
                    yield target.id, (source, i)


def _stores(function: ast.FunctionDef) -> Counter[str]:
    return Counter(
        n.id
        for stmt in function.body
        for n in ast.walk(stmt)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
