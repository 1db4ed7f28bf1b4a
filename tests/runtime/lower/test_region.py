"""Open regions of autocast on the CPU, beside PyTorch's: types and values of functions, layers, and what is around."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.runtime.lower.beside import compare, of_ours, same_layers, type_name
from tests.runtime.lower.test_functions import FUNCTIONS, LAYERS, NAMES
from torch2ms.runtime import _backend, amp, mint, tape, value_and_grad

F = mint.nn.functional
# region and inputs
TYPES = {"bfloat16": "float32", "float16": "float32", "bfloat16 of bfloat16": "bfloat16"}
MATRIX = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)


@pytest.fixture(autouse=True)
def errors_surface_where_they_arise() -> None:
    mindspore.runtime.launch_blocking()


def inside(framework: Any, function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with framework.autocast("cpu", dtype=dtype):
            return function(*args)

    return call


@pytest.mark.parametrize("region", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_functions(name: str, region: str) -> None:
    theirs, ours = (module[name] for module in FUNCTIONS)
    dtype = region.split()[0]
    dtypes = getattr(torch, TYPES[region]), getattr(mindspore, TYPES[region])
    names = list(inspect.signature(theirs).parameters)
    of_torch = inside(torch, theirs, getattr(torch, dtype))
    compare(of_torch, inside(amp, ours, getattr(mindspore, dtype)), theirs, names, name, dtypes)


@pytest.mark.parametrize("inputs", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", list(LAYERS[0]))
def test_layers(name: str, inputs: str) -> None:
    (make_theirs, names), (make_ours, _) = LAYERS[0][name], LAYERS[1][name]
    if name == "Bilinear" and inputs != "float32":
        pytest.skip("PyTorch does not take inputs and weights of two types")
    theirs, ours, exact = same_layers(make_theirs, make_ours)
    dtypes = getattr(torch, inputs), getattr(mindspore, inputs)
    ours_inside = inside(amp, ours, mindspore.bfloat16)
    compare(inside(torch, theirs, torch.bfloat16), ours_inside, exact, names.split(), name, dtypes)
    assert all(p.dtype == mindspore.float32 for p in ours.parameters())


def test_gradients_of_parameters_have_their_type() -> None:
    layer = mint.nn.Linear(4, 4)
    with amp.autocast("cpu"):
        _, gradients = value_and_grad(lambda x: layer(x).float().sum(), None, list(layer.parameters()))(Tensor(MATRIX))
    assert [type_name(g) for g in gradients] == ["float32", "float32"]


def test_on_the_tape() -> None:
    theirs = torch.tensor(MATRIX, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        product = theirs @ theirs.t()
        loss = (torch.softmax(product, -1) * product).sum()
    loss.backward()
    tape.start()
    try:
        ours = _backend.set_requires_grad(Tensor(MATRIX))
        with amp.autocast("cpu", dtype=mindspore.bfloat16):
            own_product = ours @ ours.t()
            own_loss = (mint.softmax(own_product, -1) * own_product).sum()
        tape.backward(own_loss)
        gradient = _backend.get_grad(ours)
    finally:
        _backend.stop_recording()
    assert type_name(own_loss) == type_name(loss) and type_name(gradient) == "float32"
    # each element sums eight terms, each rounded thrice to eight bits
    np.testing.assert_allclose(gradient.asnumpy(), theirs.grad.numpy(), rtol=2**-6, atol=2**-4)


def test_a_region_that_is_disabled_inside_another() -> None:
    x = Tensor(MATRIX)
    with amp.autocast("cpu"):
        with amp.autocast("cpu", enabled=False):
            assert type_name(x @ x) == "float32"
            assert type_name(x.bfloat16() @ x.bfloat16()) == "bfloat16"
        with amp.autocast("cuda"):
            assert type_name(x @ x) == "bfloat16"
        assert type_name(x @ x) == "bfloat16"
    assert type_name(x @ x) == "float32"


def test_double_precision_stays() -> None:
    x = Tensor(MATRIX).astype(mindspore.float64)
    with amp.autocast("cpu"):
        assert type_name(x @ x) == type_name(F.linear(x, x)) == type_name(mint.cat([x, x])) == "float64"


def test_norms_of_mixed_types_keep_that_of_the_input() -> None:
    x, ones = Tensor(MATRIX).bfloat16(), mint.ones(4)
    expected = torch.nn.functional.layer_norm(torch.tensor(MATRIX).bfloat16(), (4,), torch.ones(4), torch.ones(4))
    found = F.layer_norm(x, (4,), ones, ones)
    assert type_name(found) == type_name(expected) == "bfloat16"
    np.testing.assert_allclose(found.float().asnumpy(), expected.float().numpy(), rtol=2**-7, atol=2**-9)


def test_compiled_functions_run_uncompiled_in_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amp, "_warned", set())

    @mindspore.jit
    def product(x: Tensor) -> Tensor:
        return mint.matmul(x, x)

    x = Tensor(MATRIX)
    assert type_name(product(x)) == "float32"
    with amp.autocast("cpu"), pytest.warns(RuntimeWarning, match="run uncompiled"):
        inside_region = product(x)
        gradient = of_ours(product, [x])[1]
    assert type_name(inside_region) == "bfloat16" and type_name(gradient) == "float32"
    assert type_name(product(x)) == "float32"


def test_regions_inside_of_a_compiled_function_are_refused() -> None:
    @mindspore.jit
    @amp.autocast("cpu")
    def decorated(x: Tensor) -> Tensor:
        return mint.matmul(x, x)

    @mindspore.jit
    def opened(x: Tensor) -> Tensor:
        with amp.autocast("cpu"):
            return mint.matmul(x, x)

    for function in (decorated, opened):
        with pytest.raises(TypeError, match="autocast"):
            function(Tensor(MATRIX))


def test_a_compiled_function_of_bfloat16_is_refused_and_one_of_float32_is_not() -> None:
    @mindspore.jit
    def function(x: Tensor) -> Tensor:
        return F.relu(mint.matmul(x, x)).abs().sum()

    x = Tensor(MATRIX)
    with pytest.raises((RuntimeError, TypeError), match="Kernel select failed"):
        function(x.bfloat16())
    np.testing.assert_allclose(function(x).asnumpy(), np.maximum(MATRIX @ MATRIX, 0).sum(), rtol=1e-5)
