"""mint.nn on CPU against torch.nn, on the inputs of PyTorch's ModuleInfo database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import mindspore.mint.nn
import pytest
import torch
from mindspore import Tensor
from torch.testing._internal.common_modules import module_db

from tests.runtime.mint import gradients, parity
from torch2ms.runtime import manual_seed, mint, value_and_grad

INPUTS = 100 if os.environ.get("TORCH2MS_PARITY") == "full" else 4
RANDOM = {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "RReLU"}
# torch computes nan where a discarded branch overflows
NAN_GRADIENT = {"PoissonNLLLoss"}
NO_TARGET_GRADIENT = {"SoftMarginLoss"}


class Case:
    """One pair of modules with equal weights, and their inputs."""

    def __init__(self, theirs: Any, ours: Any, args: Any, kwargs: Any) -> None:
        self.theirs, self.ours, self.args, self.kwargs = theirs, ours, args, kwargs
        self.start = {name: value.clone() for name, value in theirs.state_dict().items()}

    def restart(self) -> None:
        self.theirs.load_state_dict(self.start)
        self.ours.load_state_dict({name: parity.to_mindspore(value) for name, value in self.start.items()})


def _cases(info: Any, training: bool) -> Iterator[Case]:
    torch.manual_seed(0)
    inputs = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=training)
    inputs = [one for one in inputs if one.forward_input is not None]
    for j in sorted({round(i * (len(inputs) - 1) / max(1, INPUTS - 1)) for i in range(INPUTS)}):
        built, given = inputs[j].constructor_input, inputs[j].forward_input
        options = {k: v for k, v in built.kwargs.items() if k not in ("device", "dtype")}
        theirs = info.module_cls(*parity.clone(built.args), **parity.clone(options)).train(training)
        try:
            theirs(*parity.clone(given.args), **parity.clone(given.kwargs))
        except parity.REFUSALS:
            continue
        theirs = info.module_cls(*parity.clone(built.args), **parity.clone(options)).train(training)
        options.pop("options", None)  # how LinearCrossEntropyLoss cuts its work into pieces
        ours = getattr(mint.nn, info.module_cls.__name__)(
            *parity.to_mindspore(built.args), **parity.to_mindspore(options)
        )
        assert ours.training is True, "a module is born in training mode"
        yield Case(theirs, ours.set_train(training), given.args, given.kwargs)


def _known() -> list[Any]:
    return [
        pytest.param(info, training, id=f"{info.module_cls.__name__}-{'train' if training else 'eval'}")
        for info in module_db
        if hasattr(mint.nn, info.module_cls.__name__)
        for training in (True, False)
    ]


def _forward_difference(case: Case, values: bool) -> str:
    case.restart()
    theirs = case.theirs(*parity.clone(case.args), **parity.clone(case.kwargs))
    ours = case.ours(*parity.to_mindspore(case.args), **parity.to_mindspore(case.kwargs))
    return parity.difference(theirs, ours, values=values) or _state_difference(case)


def _state_difference(case: Case) -> str:
    ours = case.ours.state_dict()
    for name, value in case.theirs.state_dict().items():
        text = parity.difference(value, ours[name])
        if text:
            return f"state {name}: {text}"
    return ""


def _gradient_difference(case: Case, places: list[Any]) -> str:
    """Compare the gradients of inputs and parameters, and that the statistics moved once."""
    case.restart()
    given, inputs = gradients.torch_leaves(case.args, places)
    results = case.theirs(*given, **parity.clone(case.kwargs))
    counted = gradients.differentiable(results)
    if not any(counted):
        return ""
    theirs = torch.autograd.grad(
        gradients.torch_total(results, counted), [*inputs, *case.theirs.parameters()], allow_unused=True
    )
    args, kwargs = parity.to_mindspore(case.args), parity.to_mindspore(case.kwargs)
    weights = list(case.ours.parameters())

    def total(*now: Tensor) -> Tensor:
        return gradients.mindspore_total(case.ours(*gradients.filled(args, places, now), **kwargs), counted)

    values = [gradients.get(args, place) for place in places]
    positions = tuple(range(len(values)))
    if weights:
        _, (of_inputs, of_weights) = value_and_grad(total, positions, weights)(*values)
    else:
        of_inputs, of_weights = value_and_grad(total, positions)(*values)[1], ()
    return gradients.compare_gradients(theirs, (*of_inputs, *of_weights)) or _state_difference(case)


@pytest.mark.parametrize(("info", "training"), _known())
def test_module(info: Any, training: bool) -> None:
    name = info.module_cls.__name__
    checked = 0
    for case in _cases(info, training):
        checked += 1
        assert list(case.ours.state_dict()) == list(case.theirs.state_dict())
        for listing in ("named_parameters", "named_buffers"):
            assert [n for n, _ in getattr(case.ours, listing)()] == [n for n, _ in getattr(case.theirs, listing)()]
        random = name in RANDOM and training
        text = _forward_difference(case, values=not random)
        assert not text, f"{text} <- {case.theirs}({parity.describe(case.args)})"
        places = gradients.float_places(case.args)
        if name in NO_TARGET_GRADIENT | NAN_GRADIENT:
            places = places[:1]
        if places and not random:
            text = _gradient_difference(case, places)
            assert not text, f"{text} <- {case.theirs}({parity.describe(case.args)})"
    assert checked, "ModuleInfo has no input that torch accepts"


@pytest.mark.parametrize("name", [n for n in mindspore.mint.nn.__all__ if n != "SyncBatchNorm"])
def test_every_layer_of_mint_has_its_subclass(name: str) -> None:
    ours, theirs = getattr(mint.nn, name), getattr(mindspore.mint.nn, name)
    assert issubclass(ours, theirs) and ours is not theirs
    assert ours.__name__ == name


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("Linear", (5, 3), {}),
        ("Linear", (5, 3), {"bias": False}),
        ("Bilinear", (2, 3, 4), {}),
        ("Embedding", (7, 3), {"padding_idx": 2}),
        ("Conv1d", (2, 4, 3), {}),
        ("Conv2d", (4, 6, (3, 2)), {"groups": 2}),
        ("Conv3d", (2, 4, 3), {"bias": False}),
        ("ConvTranspose1d", (2, 4, 3), {}),
        ("ConvTranspose2d", (2, 4, 3), {}),
        ("ConvTranspose3d", (2, 4, 3), {}),
    ],
)
def test_initial_weights_are_those_of_torch(name: str, args: Any, kwargs: Any) -> None:
    torch.manual_seed(11)
    theirs = getattr(torch.nn, name)(*args, **kwargs)
    manual_seed(11)
    ours = getattr(mint.nn, name)(*args, **kwargs)
    for (key, value), (ours_key, ours_value) in zip(theirs.state_dict().items(), ours.state_dict().items()):
        assert key == ours_key
        assert not parity.difference(value, ours_value, 1e-6, 1e-7)
    theirs.reset_parameters()
    ours.reset_parameters()
    for key, value in theirs.state_dict().items():
        assert not parity.difference(value, ours.state_dict()[key], 1e-6, 1e-7)


@pytest.mark.parametrize("dtype", [mindspore.float64, mindspore.float16])
def test_a_convolution_whose_bias_was_drawn_takes_another_data_type(dtype: Any) -> None:
    layer = mint.nn.Conv2d(2, 3, 3)
    layer.reset_parameters()
    layer.to(dtype)
    assert layer(mint.ones((1, 2, 4, 4), dtype=dtype)).dtype == dtype
