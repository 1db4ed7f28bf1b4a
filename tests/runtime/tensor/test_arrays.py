"""Operators of tensors and numpy's arrays beside PyTorch's."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch

from torch2ms.runtime import mint, value_and_grad

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
COMPARISONS = ("lt", "le", "gt", "ge", "eq")
BITS = ("and_", "or_", "xor")
FLOATS = [("float32", "float32"), ("float32", "float64"), ("float64", "float32"), ("float32", "int64")]
INTEGERS = [("int64", "int64"), ("int32", "int64"), ("int64", "float32"), ("int64", "float64")]


def _pair(tensor: str, array: str, library: Any, swapped: bool) -> tuple[Any, Any]:
    first = library.tensor([[1, 2], [0, 3]], dtype=getattr(library, "bool" if tensor == "bool" else tensor))
    second = np.array([[2, 2], [1, 1]]).astype(array)
    return (second, first) if swapped else (first, second)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("tensor", "array"), [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS, *BITS])
def test_pairs(name: str, tensor: str, array: str, swapped: bool) -> None:
    function: Callable[[Any, Any], Any] = getattr(operator, name)
    try:
        expected = function(*_pair(tensor, array, torch, swapped))
    except (TypeError, RuntimeError):
        pytest.skip("PyTorch raises")
    found = function(*_pair(tensor, array, mindspore, swapped))
    assert isinstance(found, mindspore.Tensor) == isinstance(expected, torch.Tensor)
    values = np.asarray(expected)
    np.testing.assert_allclose(found.asnumpy() if isinstance(found, mindspore.Tensor) else found, values, rtol=1e-6)
    if isinstance(found, mindspore.Tensor):
        assert str(found.dtype).lower() == str(expected.dtype).removeprefix("torch.")


def test_a_parameter_is_compared_by_elements() -> None:
    parameter = mindspore.Parameter(mindspore.tensor([1.0, 2.0]), name="p")
    assert (parameter == np.array([1.0, 3.0])).asnumpy().tolist() == [True, False]
    assert parameter in {parameter}


def _scaled(x: Any) -> Any:
    return (x * x - 2 * x + x / 3).sum()


def test_operators_of_tensors_stay_as_they_are() -> None:
    x = mindspore.tensor([1.0, 2.0])
    value, gradient = value_and_grad(_scaled)(x)
    assert float(mindspore.jit(_scaled)(x)) == float(value)
    assert gradient.asnumpy().tolist() == pytest.approx([1 / 3, 2 + 1 / 3])


def test_average_pooling_of_doubles_has_a_gradient() -> None:
    values = np.random.default_rng(0).normal(size=(2, 3, 6, 6))
    x = torch.tensor(values, requires_grad=True)
    (torch.nn.AvgPool2d(2)(x) ** 2).sum().backward()
    _, gradient = value_and_grad(lambda t: (mint.nn.AvgPool2d(2)(t) ** 2).sum())(mindspore.tensor(values))
    np.testing.assert_allclose(gradient.asnumpy(), x.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize("name", [*ARITHMETIC, *BITS])
def test_booleans_and_arrays_of_booleans_raise(name: str) -> None:
    with pytest.raises(TypeError):
        getattr(operator, name)(*_pair("bool", "bool", mindspore, False))
