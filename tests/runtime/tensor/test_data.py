"""Tensors of sequences beside torch.tensor: values and data types."""
from __future__ import annotations

from collections import deque
from typing import Any

import mindspore
import numpy as np
import pytest
import torch

from torch2ms.runtime import tensor, value_and_grad

DATA: dict[str, Any] = {
    "float64": [np.float64(1.5), np.float64(2)],
    "float32": [np.float32(1.5), 2.5],
    "float64 and int": [[np.float64(1), 2], [3, 4]],
    "float and float64": [1.5, np.float64(2)],
    "int32": [np.int32(1)],
    "int32 and int": (np.int32(1), 2),
    "int and float16": [1, np.float16(2.5)],
    "bool_": [np.bool_(True), False],
    "uint8 and int8": [np.uint8(1), np.int8(2)],
    "arrays": [np.array([1.0, 2.0]), np.array([3.0, 4.0])],
    "arrays of float32": (np.ones(2, np.float32), np.zeros(2, np.float32)),
    "one array": np.arange(3),
    "one number": np.float64(3),
    "floats": [1.0, 2],
    "ints": [[1, 2], [3, 4]],
    "bools": [True, False],
    "tuples": ((1.0, 2.0), (3.0, 4.0)),
    "range": range(3),
    "deque": deque([1.5, 2.5]),
    "empty": [],
    "number": 3.5,
    "large ints": [2**40],
}


@pytest.mark.parametrize("name", DATA)
def test_values_and_types(name: str) -> None:
    expected, found = torch.tensor(DATA[name]), tensor.from_data(DATA[name])
    assert tensor.dtype_text(found.dtype) == str(expected.dtype)
    assert found.asnumpy().tolist() == expected.tolist()
    assert found.shape == expected.shape


def test_tensors_in_a_list() -> None:
    expected = torch.tensor([torch.tensor(1.5), torch.tensor(2.5)])
    assert tensor.from_data([mindspore.tensor(1.5), mindspore.tensor(2.5)]).asnumpy().tolist() == expected.tolist()


def test_as_tensor_gives_tensors_back_and_shares_arrays() -> None:
    x, array = mindspore.tensor([1.0, 2.0]), np.ones(2, np.float32)
    assert tensor.as_tensor(x) is x and tensor.as_tensor(x, mindspore.float32) is x
    assert tensor.as_tensor(x, mindspore.int64).dtype == mindspore.int64
    shared = tensor.as_tensor(array)
    array[0] = 7
    assert shared.asnumpy().tolist() == [7.0, 1.0]


@pytest.mark.parametrize("name", DATA)
def test_as_tensor_of_data(name: str) -> None:
    expected, found = torch.as_tensor(DATA[name]), tensor.as_tensor(DATA[name])
    assert tensor.dtype_text(found.dtype) == str(expected.dtype)
    assert found.asnumpy().tolist() == expected.tolist()
    typed = tensor.as_tensor(DATA[name], mindspore.float32)
    assert typed.asnumpy().tolist() == torch.as_tensor(DATA[name], dtype=torch.float32).tolist()


def test_as_tensor_keeps_the_gradient() -> None:
    found = value_and_grad(lambda v: (tensor.as_tensor(v) ** 2).sum(), 0)(mindspore.tensor([3.0]))[1]
    assert found.asnumpy().tolist() == [6.0]
