"""The value that an in-place method computes, as an expression that writes nothing."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torch2ms.analysis.facts import Facts
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import CallEdit, Edit, Provenance, Replace
from torch2ms.rules import Site, apply, knows
from torch2ms.source import Span
from torch2ms.transforms.inplace.dtypes import boolean_template, doubts, widens


class Declined(Exception):
    """The write has no form that keeps its meaning: what is wrong, and what the user can do."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


_OPERATORS = {
    "add_": "+", "sub_": "-", "subtract_": "-", "mul_": "*", "multiply_": "*", "div_": "/", "divide_": "/", "true_divide_": "/",
    "pow_": "**", "remainder_": "%", "bitwise_and_": "&", "bitwise_or_": "|", "bitwise_xor_": "^", "__iand__": "&", "__ior__": "|",
}  # fmt: skip
# the method changes shape, storage or dtype of the object itself
_NOT_VALUES = frozenset("resize_ resize_as_ set_ as_strided_ apply_ map_ map2_ share_memory_ rename_ swap_".split())
_NOT_VALUES |= frozenset("resize_as_sparse_ sparse_resize_ put_ fill_diagonal_".split())


@dataclass(slots=True)
class Value:
    """A call as a value: the edits that make it one, the nodes that they take over, what is to be said."""

    edits: list[Edit] = field(default_factory=list)
    nodes: list[ast.AST] = field(default_factory=list)
    said: list[Diagnostic] = field(default_factory=list)


def in_place_name(call: ast.Call) -> str | None:
    """The in-place method that a call runs on its receiver, by its spelling."""
    if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_") and not call.func.attr.endswith("__"):
        return call.func.attr
    return None


def value_of(facts: Facts, call: ast.Call) -> Value:
    """Plan an in-place call (and those in its chain of receivers) as a value; raises Declined where none is known."""
    found = Value()
    _plan(facts, call, found)
    return found


def target_of(facts: Facts, call: ast.Call) -> ast.expr:
    """What a chain of in-place calls writes to: `x` of `x.mul_(2).add_(1)`."""
    receiver = call.func.value  # type: ignore[attr-defined]
    while (
        isinstance(receiver, ast.Call) and in_place_name(receiver) is not None and facts.names.of(receiver.func) is None
    ):
        receiver = receiver.func.value  # type: ignore[attr-defined]
    return receiver


def bare(node: ast.expr) -> ast.expr:
    """The tensor behind `.data` and `.detach()`, which share its storage."""
    while True:
        match node:
            case ast.Attribute(attr="data", value=node):
                continue
            case ast.Call(func=ast.Attribute(attr="detach", value=node), args=[], keywords=[]):
                continue
        return node


def around_bare(node: ast.expr) -> list[ast.expr]:
    """The expressions of `node` around the tensor that `bare` gives."""
    found: list[ast.expr] = []
    while node is not bare(node):
        found.append(node)
        if isinstance(node, ast.Call):
            node = node.func
            found.append(node)
        node = node.value  # type: ignore[attr-defined]
    return found


def _plan(facts: Facts, call: ast.Call, found: Value) -> None:
    method = in_place_name(call)
    assert isinstance(call.func, ast.Attribute) and method is not None
    receiver = call.func.value
    if isinstance(receiver, ast.Call) and in_place_name(receiver) is not None and facts.names.of(receiver.func) is None:
        _plan(facts, receiver, found)
    found.nodes += [call, call.func]
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise Declined(f"{method} takes its arguments from a starred list", "write the arguments out")
    if method in _NOT_VALUES:
        raise Declined(f"{method} changes the object itself", "compute a new tensor and assign it")
    template, parts = _template(facts, method, call, bare(receiver))
    if bare(receiver) is not receiver:
        found.nodes += around_bare(receiver)
        if template is None:
            found.edits.append(Replace(receiver, "$0", (bare(receiver),)))
    if template is not None:
        found.edits.append(Replace(call, template, parts))
        if method in _OPERATORS and ".dtype" not in template:
            found.said += doubts(facts, bare(target_of(facts, call)), call, *call.args)
        return
    _by_rule(facts, call, method[:-1], found)


def _template(
    facts: Facts, method: str, call: ast.Call, receiver: ast.expr
) -> tuple[str | None, tuple[ast.expr, ...]]:
    args = call.args
    named = {k.arg: k.value for k in call.keywords if k.arg != "generator"}
    alone = not named and len(args) == 1
    comparison = boolean_template(facts, method, call, receiver)
    if comparison is not None:
        return comparison, (receiver, *args)
    if method in _OPERATORS and alone:
        text = f"$0 {_OPERATORS[method]} $1"
        root = bare(target_of(facts, call))
        return (f"({text}).to($2.dtype)" if widens(facts, receiver, args[0]) else text), (receiver, args[0], root)
    if method in ("add_", "sub_") and len(args) == 1 and set(named) == {"alpha"}:
        return f"$0 {_OPERATORS[method]} $1 * $2", (receiver, args[0], named["alpha"])
    if method in ("zero_", "detach_") and not args and not named:
        return ("$mint.zeros_like($0)" if method == "zero_" else "$ops.stop_gradient($0)"), (receiver,)
    if method == "fill_" and alone:
        return "$mint.full_like($0, $1)", (receiver, args[0])
    if method == "copy_":
        source = args[0] if args else named.get("src") or named.get("other")
        if source is None:
            raise Declined("copy_ is called without a source", "give the tensor to copy")
        return "$1.to($0.dtype).expand_as($0).copy()", (receiver, source)
    return _random(call, method, receiver)


def _random(call: ast.Call, method: str, receiver: ast.expr) -> tuple[str | None, tuple[ast.expr, ...]]:
    """A draw like the receiver: MindSpore's own where it says the same, the runtime's for the rest."""
    if method not in _DRAWS:
        return None, ()
    parameters = _DRAWS[method]
    named = {str(k.arg): k.value for k in call.keywords}
    generator = named.pop("generator", None)
    if set(named) - set(parameters):
        raise Declined(f"{method} is called with {', '.join(named)}", "draw with the functions of mint")
    if not named and generator is None and (method, len(call.args)) in _OWN_DRAWS:
        return _OWN_DRAWS[method, len(call.args)], (receiver, *call.args)
    parts = [receiver, *call.args]
    slots = [f"${i}" for i in range(len(parts))]
    given = [(parameters[name], value) for name, value in named.items()]
    if generator is not None:
        given.append(("generator", generator))
    for name, value in given:
        slots.append(f"{name}=${len(parts)}" if name else f"${len(parts)}")
        parts.append(value)
    return f"$random.{method}like({', '.join(slots)})", tuple(parts)


# in-place draws: the names of their parameters in PyTorch and in the runtime
_DRAWS = {
    "normal_": {"mean": "mean", "std": "std"},
    "uniform_": {"from": "low", "to": "high"},
    "random_": {"from": "", "to": ""},
    "bernoulli_": {"p": "p"},
    "exponential_": {"lambd": "rate"},
    "geometric_": {"p": "p"},
    "cauchy_": {"median": "median", "sigma": "sigma"},
    "log_normal_": {"mean": "mean", "std": "std"},
}
_OWN_DRAWS = {
    ("normal_", 0): "$mint.randn_like($0)",
    ("normal_", 2): "$mint.randn_like($0) * $2 + $1",
    ("uniform_", 0): "$mint.rand_like($0)",
    ("uniform_", 2): "$mint.rand_like($0) * ($2 - $1) + $1",
    ("random_", 1): "$mint.randint_like($0, 0, $1)",
    ("random_", 2): "$mint.randint_like($0, $1, $2)",
}


def function_value(facts: Facts, call: ast.Call, name: str) -> Value:
    """Plan `torch.relu_(x)` as the value `relu(x)`; raises Declined where no such function is known."""
    plain = name.rstrip("_")
    if not knows(plain):
        raise Declined(f"{name} has no out-of-place counterpart", "compute a new tensor and assign it")
    outcome = apply(Site(plain, call, Span.of(call), Provenance.PROVEN, None, facts))
    if outcome.provenance is Provenance.REFUSED:
        raise Declined(outcome.diagnostics[0].message, outcome.diagnostics[0].help)
    found = Value(list(outcome.edits), [call, call.func], list(outcome.diagnostics))
    for i, edit in enumerate(found.edits):
        if isinstance(edit, CallEdit) and edit.node is call and edit.func is None:
            found.edits[i] = CallEdit(call, _FUNCTIONAL + plain.rpartition(".")[2], edit.args)
    if not any(isinstance(e, (Replace, CallEdit)) and e.node is call for e in found.edits):
        found.edits.append(CallEdit(call, _FUNCTIONAL + plain.rpartition(".")[2]))
    return found


_FUNCTIONAL = "$mint.nn.functional."


def _by_rule(facts: Facts, call: ast.Call, method: str, found: Value) -> None:
    """The value by the rule of the method without the underscore."""
    name = f"torch.Tensor.{method}"
    if not knows(name):
        raise Declined(f"torch.Tensor.{method}_ has no out-of-place counterpart", "compute a new tensor and assign it")
    receiver = call.func.value  # type: ignore[attr-defined]
    outcome = apply(Site(name, call, Span.of(call), Provenance.PROVEN, receiver, facts))
    if outcome.provenance is Provenance.REFUSED:
        first = outcome.diagnostics[0]
        raise Declined(first.message, first.help)
    found.said += outcome.diagnostics
    own = [e for e in outcome.edits if isinstance(e, (Replace, CallEdit)) and e.node is call]
    found.edits += [e for e in outcome.edits if e not in own]
    match own:
        case []:
            found.edits.append(CallEdit(call, f"$0.{method}"))
        case [CallEdit(func=None, args=args)]:
            found.edits.append(CallEdit(call, f"$0.{method}", args))
        case _:
            found.edits += own
