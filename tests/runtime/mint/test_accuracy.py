"""Functions keep their digits where terms of about 1 cancel: beside PyTorch, relative to the result itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import mint, value_and_grad

SMALL = np.array([-3.0, -1.0, -0.1, -1e-3, -1e-5, -1e-7, 1e-7, 1e-5, 1e-3, 0.1, 1.0, 3.0], np.float32)
LARGE = np.array([-90.0, -20.0, -9.0, -5.0, 5.0, 9.0, 20.0, 90.0], np.float32)
ABOVE = np.array([1e-7, 1e-5, 1e-3, 0.1, 1.0, 3.0, 80.0], np.float32)
NEAR_ONE = np.array([0.5, 0.999, 0.99999, 0.9999999, 1.0000001, 1.00001, 1.5], np.float32)
F, TF = mint.nn.functional, torch.nn.functional


def half_elu(x: Any) -> Any:
    return F.elu(x, 0.5)


def both_signs(x: Any) -> Any:
    return mint.logaddexp(x, -x)


def surely_one(p: Any) -> Any:
    return F.binary_cross_entropy(p, mint.ones_like(p), reduction="none")


CASES: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any], np.ndarray]] = [
    ("tanh", mint.tanh, torch.tanh, np.concatenate([SMALL, LARGE])),
    ("exp", mint.exp, torch.exp, np.concatenate([SMALL, LARGE[:-1]])),
    ("expm1", mint.expm1, torch.expm1, np.concatenate([SMALL, LARGE[:-1]])),
    ("log1p", mint.log1p, torch.log1p, ABOVE),
    ("log", mint.log, torch.log, NEAR_ONE),
    ("log2", mint.log2, torch.log2, NEAR_ONE),
    ("log10", mint.log10, torch.log10, NEAR_ONE),
    ("elu", F.elu, TF.elu, SMALL),
    ("elu alpha", half_elu, lambda x: TF.elu(x, 0.5), SMALL),
    ("selu", F.selu, TF.selu, SMALL),
    ("softplus", F.softplus, TF.softplus, np.concatenate([SMALL, LARGE])),
    ("logsigmoid", F.logsigmoid, TF.logsigmoid, np.concatenate([SMALL, LARGE])),
    ("mish", F.mish, TF.mish, SMALL),
    ("logaddexp", both_signs, lambda x: torch.logaddexp(x, -x), SMALL),
    (
        "binary_cross_entropy",
        surely_one,
        lambda p: TF.binary_cross_entropy(p, torch.ones_like(p), reduction="none"),
        NEAR_ONE[:4],
    ),
]


@pytest.mark.parametrize("jit", [False, True], ids=["pynative", "jit"])
@pytest.mark.parametrize(("name", "ours", "theirs", "values"), CASES, ids=[case[0] for case in CASES])
def test_values_and_gradients(
    name: str, ours: Callable[[Any], Any], theirs: Callable[[Any], Any], values: np.ndarray, jit: bool
) -> None:
    leaf = torch.tensor(values, requires_grad=True)
    expected = theirs(leaf)
    expected.sum().backward()
    function = mindspore.jit(ours) if jit else ours
    found = function(Tensor(values))
    assert found.dtype == mindspore.float32
    np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), 1e-6, 1e-30)
    if not jit:
        _, grad = value_and_grad(lambda x: ours(x).sum(), 0)(Tensor(values))
        np.testing.assert_allclose(grad.asnumpy(), leaf.grad.numpy(), 2e-5, 1e-7)


def test_a_table_of_positions() -> None:
    rates = -np.log(10000.0) / 64
    expected = torch.sin(5000 * torch.exp(torch.arange(0, 64, 2) * rates))
    found = mint.sin(5000 * mint.exp(mint.arange(0, 64, 2) * rates))
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), atol=6e-4)  # sin of 5000 with its last bit: 5e-4


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_tanh_keeps_the_dtype(dtype: str) -> None:
    values = np.concatenate([SMALL, LARGE])
    expected = torch.tanh(torch.tensor(values).to(getattr(torch, dtype)))
    found = mint.tanh(Tensor(values).astype(getattr(mindspore, dtype)))
    assert found.dtype == getattr(mindspore, dtype)
    tolerance = {"float16": 1e-3, "bfloat16": 8e-3, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(found.astype(mindspore.float64).asnumpy(), expected.double().numpy(), tolerance, 6e-8)
