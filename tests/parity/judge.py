"""Runs one case in both libraries and says what came of it."""

from __future__ import annotations

import enum
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mindspore
import torch
from mindspore import Tensor

from tests.parity import choice, compare
from tests.parity.program import Pair
from tests.runtime.mint import gradients, parity
from torch2ms import runtime
from torch2ms.runtime import grad

_RUNTIME = str(Path(runtime.__file__).parent)


class Class(enum.Enum):
    """What comes of a case."""

    EQUAL = "equal"
    REFUSED = "refused"
    ERROR = "error"
    DIFFERENT = "different"


@dataclass(frozen=True)
class Verdict:
    """The class of a case and why."""

    kind: Class
    reason: str = ""


def judge(pair: Pair, differentiable: bool = True, jit: bool = False) -> Verdict | None:
    """The verdict over a case; None where PyTorch itself raises."""
    try:
        expected = Theirs(pair)
    except Exception:  # noqa: BLE001  whatever PyTorch raises: there is nothing to compare with
        return None
    if pair.refusal:
        return Verdict(Class.REFUSED, pair.refusal)
    try:
        text = _compared(pair, expected, differentiable, jit)
    except Exception as error:  # noqa: BLE001  MindSpore raises all kinds, each is an error of the case
        return _raised(error)
    return Verdict(Class.DIFFERENT, text) if text else Verdict(Class.EQUAL)


def _raised(error: BaseException) -> Verdict:
    """A refusal where the runtime says so itself, an error otherwise."""
    text = f"{type(error).__name__}: {' '.join(str(error).split())[:240]}"
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    deliberate = step is not None and step.tb_frame.f_code.co_filename.startswith(_RUNTIME)
    if isinstance(error, NotImplementedError) and deliberate:
        return Verdict(Class.REFUSED, f"at run time: {text}")
    return Verdict(Class.ERROR, text)


def _same(a: Any, b: Any) -> bool:
    """Whether two runs of PyTorch gave the same tensors, bit by bit."""
    for x, y in zip(compare.leaves(a), compare.leaves(b)):
        if isinstance(x, torch.Tensor) and x.layout == torch.strided:
            if x.shape != y.shape or not torch.allclose(x, y, 1e-6, 1e-6, equal_nan=True):
                return False
    return True


class Theirs:
    """PyTorch's side: the results, the tensors after the call, the state of the module."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.tensors = [t.detach().clone() for t in pair.case.tensors]
        self.module, self.state, self.after, self.is_lazy = None, {}, {}, False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if pair.case.make:
                torch.manual_seed(0)
                self.module = pair.theirs["make"]()
                self._initialize()
            torch.manual_seed(1)
            self.results = self.call(self.tensors)
            if self.module is not None:
                self.after = {name: value.detach().clone() for name, value in self.module.state_dict().items()}
                self.module.load_state_dict(self.state)
            torch.manual_seed(2)
            again = self.call([t.detach().clone() for t in pair.case.tensors])
        # compared in kind and shape alone
        self.is_random = pair.case.draws or not _same(self.results, again)

    def _initialize(self) -> None:
        """Give lazy layers their weights, then remember the state, so that the other side starts with it."""
        assert self.module is not None
        self.is_lazy = any(isinstance(p, torch.nn.UninitializedParameter) for p in self.module.parameters())
        if self.is_lazy:
            self.call([t.clone() for t in self.tensors])
        self.state = {name: value.detach().clone() for name, value in self.module.state_dict().items()}

    def in_double(self) -> Theirs:
        """The same with tensors of float64."""
        tensors = [t.double() if t.dtype == torch.float32 else t for t in self.pair.case.tensors]
        return Theirs(replace(self.pair, case=replace(self.pair.case, tensors=tensors)))

    def call(self, tensors: list[torch.Tensor]) -> Any:
        if self.module is not None:
            return self.pair.theirs["call"](self.module, *tensors)
        return self.pair.theirs["call"](*tensors)

    def gradients(self, places: list[int]) -> tuple[list[Any], list[bool]] | None:
        """The gradients of a weighted sum of the results, and which results counted; None where there are none."""
        leaves, inputs = [t.detach().clone() for t in self.pair.case.tensors], []
        for place in places:
            inputs.append(leaves[place].requires_grad_())
            leaves[place] = inputs[-1].clone()
        if self.module is not None:
            self.module.load_state_dict(self.state)
            inputs += self.module.parameters()
        try:
            results = compare.leaves(self.call(leaves))
            counted = [compare.is_real(r) and r.requires_grad for r in results]
            if not any(counted) or not inputs:
                return None
            total = gradients.torch_total(tuple(results), counted)
            return list(torch.autograd.grad(total, inputs, allow_unused=True)), counted
        except (RuntimeError, NotImplementedError):
            return None


def _compared(pair: Pair, theirs: Theirs, differentiable: bool, jit: bool) -> str:
    tensors = [compare.to_mindspore(t) for t in pair.case.tensors]
    module = _module(pair, theirs) if pair.case.make else None
    call = pair.ours["call"]
    if jit:
        call = mindspore.jit(call)
    results = call(*_arguments(module, tensors))
    if pair.case.chooses:
        results = choice.adopted(pair.case.tensors[0], theirs.results, results)
    text = compare.difference(theirs.results, results, not theirs.is_random)
    if text or theirs.is_random:
        return text
    # a written argument may have been bound anew, which a diagnostic says where callers could see it
    text = "" if pair.case.writes else compare.difference(theirs.tensors, tensors)
    if text:
        return f"arguments after the call: {text}"
    if module is not None:
        text = compare.difference(theirs.after, dict(module.state_dict()))
        if text:
            return f"state after the call: {text}"
    return _gradients(pair, theirs, call, module) if differentiable else ""


def _arguments(module: Any, tensors: list[Tensor]) -> list[Any]:
    return tensors if module is None else [module, *tensors]


def _module(pair: Pair, theirs: Theirs) -> Any:
    module = pair.ours["make"]()
    if theirs.state:
        if theirs.is_lazy:
            pair.ours["call"](module, *[compare.to_mindspore(t) for t in pair.case.tensors])
        module.load_state_dict({name: compare.to_mindspore(value) for name, value in theirs.state.items()})
    return module


def _gradients(pair: Pair, theirs: Theirs, call: Any, module: Any) -> str:
    places = [i for i, t in enumerate(pair.case.tensors) if t.dtype in parity.FLOATS and t.numel()]
    found = theirs.gradients(places)
    if found is None:
        return ""
    wanted, counted = found
    tensors = [compare.to_mindspore(t) for t in pair.case.tensors]
    weights = None
    if module is not None:
        module.load_state_dict({name: compare.to_mindspore(value) for name, value in theirs.state.items()})
        named = dict(module.named_parameters())
        weights = [named[name] for name, _ in theirs.module.named_parameters()]

    def total(*values: Tensor) -> Tensor:
        given = list(tensors)
        for place, value in zip(places, values):
            given[place] = value.copy()
        return gradients.mindspore_total(tuple(compare.leaves(call(*_arguments(module, given)))), counted)

    try:
        ours = _pulled(total, [tensors[place] for place in places], weights)
    except RuntimeError as error:
        # a result without elements, or a constant one, has no graph in MindSpore
        if "does not require grad" in str(error) and not any(t is not None and bool(t.any()) for t in wanted):
            return ""
        raise
    text = _gradient_difference(wanted, ours)
    return text if text and not _is_rounding(theirs, places, wanted, ours) else ""


def _is_rounding(theirs: Theirs, places: list[int], wanted: list[Any], ours: list[Any]) -> bool:
    """Whether no gradient is further from PyTorch's in float64 than PyTorch's own in float32 is, four times over.

    Sums that cancel leave rounding errors alone, in both libraries and of any sign.
    """
    if theirs.module is not None:
        return False
    precise = theirs.in_double().gradients(places)
    if precise is None:
        return False
    for t, m, exact in zip(wanted, ours, precise[0]):
        if t is None or m is None or exact is None:
            if t is not m:
                return False
            continue
        error = (t.double() - exact).abs().max() if t.numel() else 0.0
        found = torch.from_numpy(m.asnumpy()).double()
        if m.dtype != mindspore.float32 or found.shape != t.shape or bool(((found - exact).abs() > 4 * error).any()):
            return False
    return True


def _pulled(total: Any, inputs: list[Tensor], weights: Any) -> list[Any]:
    if not weights:
        return list(grad(total, tuple(range(len(inputs))))(*inputs))
    if not inputs:
        return list(grad(total, None, weights)())
    of_inputs, of_weights = grad(total, tuple(range(len(inputs))), weights)(*inputs)
    return [*of_inputs, *of_weights]


def _gradient_difference(wanted: list[Any], ours: list[Any]) -> str:
    """Like `difference`; a gradient that is not reached counts as zeros."""
    for i, (t, m) in enumerate(zip(wanted, ours)):
        if t is not None and t._is_zerotensor():
            t = None
        if t is not None and t.layout != torch.strided:
            t = t.to_dense()
        if t is None or m is None:
            rest = m if t is None else t
            if rest is not None and bool((rest != 0).any()):
                return f"gradient {i}: {'no gradient, got one' if t is None else 'a gradient, got none'}"
            continue
        text = compare.difference(t, m, factor=compare.GRADIENT)
        if text:
            return f"gradient {i}: {text}"
    return ""
