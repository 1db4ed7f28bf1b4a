"""The samples of OpInfo and ModuleInfo as source text: every form of a call, as a function of its tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db

from tests.parity import choice, invariants
from tests.parity.spelling import Speller, Unspelled
from tests.runtime.mint.parity import is_random

DTYPES = {"float32": torch.float32, "int64": torch.int64, "bool": torch.bool}
FORMS = ("function", "method", "operator", "in-place", "alias", "train", "eval")
# wrapped by OpInfo, so that the first argument of its samples is not the first of the function
_ORDER: dict[str, Callable[[tuple[Any, ...]], tuple[Any, ...]]] = {
    "where": lambda a: (a[1], a[0], *a[2:]),
    "einsum": lambda a: (a[1], *a[0]),
    "polygamma": lambda a: (a[1], a[0], *a[2:]),
    "special.polygamma": lambda a: (a[1], a[0], *a[2:]),
    "nn.functional.embedding": lambda a: (a[1], a[0], *a[2:]),
    "broadcast_tensors": lambda a: a,
}
_SYMBOLS = {
    operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/", operator.floordiv: "//",
    operator.mod: "%", operator.pow: "**", operator.matmul: "@", operator.and_: "&", operator.or_: "|",
    operator.xor: "^", operator.lshift: "<<", operator.rshift: ">>", operator.eq: "==", operator.ne: "!=",
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=",
}  # fmt: skip
_ATTRIBUTES = {"H", "T", "mH", "mT"}
_UNARY = {operator.neg: "-", operator.invert: "~"}
_REFLECTED = {
    "__radd__": "+", "__rdiv__": "/", "__rmul__": "*", "__rand__": "&", "__ror__": "|", "__rxor__": "^",
    "__rmatmul__": "@", "__rmod__": "%", "__rpow__": "**", "__rsub__": "-",
}  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """One entry of a database in one form: what a row of the parity table is about."""

    entry: str  # "nn.functional.pad constant"
    form: str
    api: str  # "torch.nn.functional.pad"
    source: Any = field(compare=False, repr=False)


@dataclass
class Case:
    """One sample of a subject: the body of its function and the values of its tensors.

    A case of a module has a second function that makes it.
    """

    call: str
    tensors: list[torch.Tensor]
    make: str = ""
    chooses: bool = False  # among equal elements
    draws: bool = False  # or shows memory that nobody wrote
    writes: bool = False  # to its first argument


def label(op: Any) -> str:
    """The name of an OpInfo with its variant."""
    return f"{op.name} {op.variant_test_name}".strip()


def is_public(op: Any) -> bool:
    """Whether an OpInfo names something that programs use; private kernels and other backends do not count."""
    last = op.name.rpartition(".")[2]
    return not (
        (last.startswith("_") and not last.startswith("__"))
        or op.name.startswith(("torch.", "ops.", "jiterator"))
        or op.name.endswith("_backward")
    )


@cache
def subjects() -> tuple[Subject, ...]:
    """Everything that is run, entry by entry."""
    return tuple(s for op in op_db if is_public(op) for s in _forms(op)) + tuple(
        Subject(info.name, form, f"torch.{info.name}", info) for info in module_db for form in ("train", "eval")
    )


def _forms(op: Any) -> Iterator[Subject]:
    entry, path = label(op), f"torch.{op.name}"
    if _found(path) is not None:
        yield Subject(entry, "function", path, op)
    for alias in op.aliases:
        if _found(f"torch.{alias.name}") is not None and "." not in entry.partition(" ")[2]:
            yield Subject(entry, "alias", f"torch.{alias.name}", op)
    method = op.name.rpartition(".")[2] if "functional" not in op.name else op.name
    if hasattr(torch.Tensor, method) and (not method.startswith("__") or method == "__getitem__"):
        yield Subject(entry, "method", f"torch.Tensor.{method}", op)
    if op.inplace_variant is not None and hasattr(torch.Tensor, f"{method}_"):
        yield Subject(entry, "in-place", f"torch.Tensor.{method}_", op)
    if op.operator_variant in _SYMBOLS or op.operator_variant in _UNARY or op.name in _REFLECTED:
        yield Subject(entry, "operator", f"torch.Tensor.{method}", op)


def _found(path: str) -> Any:
    found: Any = torch
    for word in path.split(".")[1:]:
        found = getattr(found, word, None)
    return found if callable(found) else None


def dtypes(subject: Subject) -> list[str]:
    """The dtypes of its samples; float32 alone for modules, another where an entry knows none of the three."""
    if subject.form in ("train", "eval"):
        return ["float32"]
    known = subject.source.supported_dtypes("cpu")
    found = [name for name, dtype in DTYPES.items() if dtype in known]
    return found or [str(min(known, key=str)).removeprefix("torch.")] if known else []


def cases(subject: Subject, dtype: str, count: int | None = None) -> Iterator[Case | Unspelled]:
    """Yield the samples of a subject, `count` of them evenly spread."""
    torch.manual_seed(0)
    wanted = getattr(torch, dtype)
    if subject.form in ("train", "eval"):
        samples = list(subject.source.module_inputs_func(subject.source, "cpu", wanted, False, subject.form == "train"))
        spell: Callable[[Subject, Any], Case] = _module_case
    else:
        samples, spell = list(subject.source.sample_inputs("cpu", wanted, requires_grad=False)), _op_case
    for i in spread(len(samples), count):
        try:
            yield _case(subject, spell(subject, samples[i]))
        except Unspelled as error:
            yield error


def _case(subject: Subject, case: Case) -> Case:
    name = getattr(subject.source, "name", "")
    return replace(
        case,
        call=invariants.stated(name, case.call),
        chooses=name in choice.OPEN,
        draws=is_random(name) or "empty" in name,
        writes=subject.form == "in-place",
    )


def spread(number: int, count: int | None) -> list[int]:
    """`count` of the indices below `number`, evenly spread."""
    if count is None or count >= number:
        return list(range(number))
    return sorted({round(i * (number - 1) / max(1, count - 1)) for i in range(count)})


def _op_case(subject: Subject, sample: Any) -> Case:
    speller = Speller()
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    if subject.form in ("function", "alias"):
        args = _ORDER.get(subject.source.name, tuple)(args)
        return Case(f"return {subject.api}({speller.arguments(args, kwargs)})", speller.tensors)
    if not isinstance(sample.input, torch.Tensor):
        raise Unspelled("no tensor to call a method of")
    receiver = speller.value(sample.input)
    name = subject.api.rpartition(".")[2]
    if subject.form == "operator":
        return Case(f"return {_operation(subject.source, receiver, speller, sample)}", speller.tensors)
    if name == "__getitem__":
        return Case(f"return {receiver}[{speller.value(sample.args[0])}]", speller.tensors)
    if name in _ATTRIBUTES:
        return Case(f"return {receiver}.{name}", speller.tensors)
    call = f"{receiver}.{name}({speller.arguments(sample.args, kwargs)})"
    return Case(f"{call}\n    return {receiver}" if subject.form == "in-place" else f"return {call}", speller.tensors)


def _operation(op: Any, receiver: str, speller: Speller, sample: Any) -> str:
    if sample.kwargs:
        raise Unspelled("an operator takes no keywords")
    if op.operator_variant in _UNARY:
        return f"{_UNARY[op.operator_variant]}{receiver}"
    other = speller.value(sample.args[0])
    if op.name in _REFLECTED:
        return f"({other}) {_REFLECTED[op.name]} {receiver}"
    return f"{receiver} {_SYMBOLS[op.operator_variant]} ({other})"


def _module_case(subject: Subject, sample: Any) -> Case:
    speller = Speller()
    given, passed = sample.constructor_input, sample.forward_input
    if passed is None:
        raise Unspelled("no input")
    made = speller.arguments(given.args, given.kwargs)
    if speller.tensors:
        raise Unspelled("a tensor given to a constructor")
    call = f"return m({speller.arguments(passed.args, passed.kwargs)})"
    mode = "m.train()" if subject.form == "train" else "m.eval()"
    return Case(call, speller.tensors, f"m = {subject.api}({made})\n    {mode}\n    return m")


def counted() -> dict[str, dict[str, int]]:
    """How many samples each API has: by the first letter of their dtype, "m" for the inputs of a module."""
    found: dict[str, dict[str, int]] = {}
    for subject in subjects():
        own = found.setdefault(subject.api, {})
        for dtype in dtypes(subject):
            torch.manual_seed(0)
            wanted = getattr(torch, dtype)
            if subject.form in ("train", "eval"):
                training = subject.form == "train"
                own["m"] = len(list(subject.source.module_inputs_func(subject.source, "cpu", wanted, False, training)))
            else:
                samples = subject.source.sample_inputs("cpu", wanted, requires_grad=False)
                own[dtype[0]] = own.get(dtype[0], 0) + sum(1 for _ in samples)
    return found
