"""In-place draws as values beside PyTorch's: the same numbers, types and errors."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import manual_seed, random
from torch2ms.runtime.random import Generator

CASES: list[tuple[str, tuple[Any, ...]]] = [
    ("normal_", ()), ("normal_", (1.5, 2.0)), ("uniform_", ()), ("uniform_", (-1.0, 3.0)), ("exponential_", ()),
    ("exponential_", (2.5,)), ("bernoulli_", ()), ("bernoulli_", (0.3,)), ("random_", ()), ("random_", (10,)),
    ("random_", (3, 90)), ("geometric_", (0.2,)), ("cauchy_", ()), ("cauchy_", (1.0, 2.0)), ("log_normal_", ()),
    ("log_normal_", (0.0, 0.5)),
]  # fmt: skip
SHAPES = [(), (3, 4), (5, 7)]
TYPES = "float32 float64 int64 int32 uint8 bool".split()
BAD: list[tuple[str, tuple[Any, ...]]] = [
    ("normal_", (0.0, -1.0)), ("uniform_", (1.0, 0.0)), ("exponential_", (0.0,)), ("geometric_", (0.0,)),
    ("geometric_", (1.0,)), ("cauchy_", (0.0, 0.0)), ("log_normal_", (0.0, 0.0)),
]  # fmt: skip


def _ours(name: str, like: Tensor, arguments: tuple[Any, ...], generator: Any) -> Tensor:
    return getattr(random, f"{name}like")(like, *arguments, generator=generator)


def _kind(name: str) -> Any:
    return mindspore.bool_ if name == "bool" else getattr(mindspore, name)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "arguments"), CASES, ids=str)
def test_numbers_are_pytorchs(name: str, arguments: tuple[Any, ...], dtype: str) -> None:
    for shape in SHAPES:
        theirs, ours = torch.Generator().manual_seed(7), Generator().manual_seed(7)
        tensor = torch.zeros(shape, dtype=getattr(torch, dtype))
        like = Tensor(np.zeros(shape), _kind(dtype))
        for _ in range(2):
            try:
                expected = getattr(tensor.clone(), name)(*arguments, generator=theirs)
            except (RuntimeError, NotImplementedError):
                if name not in ("random_", "geometric_"):
                    with pytest.raises(RuntimeError):
                        _ours(name, like, arguments, ours)
                break
            found = _ours(name, like, arguments, ours)
            assert found.shape == tuple(expected.shape) and found.dtype == like.dtype
            np.testing.assert_allclose(found.asnumpy(), expected.numpy(), 1e-5, 1e-6)


def test_probabilities_of_a_tensor() -> None:
    chances = np.random.RandomState(0).rand(4).astype(np.float32)
    expected = torch.zeros(3, 4).bernoulli_(torch.tensor(chances), generator=torch.Generator().manual_seed(1))
    found = random.bernoulli_like(Tensor(np.zeros((3, 4), np.float32)), Tensor(chances), generator=Generator().manual_seed(1))
    np.testing.assert_array_equal(found.asnumpy(), expected.numpy())


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=str)
def test_wrong_parameters_raise_as_in_pytorch(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(RuntimeError):
        getattr(torch.zeros(2), name)(*arguments)
    with pytest.raises(RuntimeError):
        _ours(name, Tensor(np.zeros(2, np.float32)), arguments, None)


@pytest.mark.parametrize("name", ["normal_", "uniform_", "exponential_", "bernoulli_"])
def test_compiled_graphs_draw_anew_each_time(name: str) -> None:
    @mindspore.jit
    def draw(x: Tensor) -> Tensor:
        return getattr(random, "normal_like")(x) if name == "normal_" else _like[name](x)

    _like = {"uniform_": random.uniform_like, "exponential_": random.exponential_like, "bernoulli_": random.bernoulli_like}
    zeros = Tensor(np.zeros((50,), np.float32))
    manual_seed(3)
    first, second = draw(zeros).asnumpy().copy(), draw(zeros).asnumpy().copy()
    assert (first != second).any()
    manual_seed(3)
    torch.manual_seed(3)
    expected = getattr(torch.zeros(50), name)().numpy()
    np.testing.assert_allclose(draw(zeros).asnumpy(), expected, 1e-5, 1e-6)


def test_poisson_numbers_have_their_rate_as_mean() -> None:
    rates = np.array([0.0, 0.5, 4.0, 30.0], np.float32)
    like = Tensor(np.broadcast_to(rates, (5000, 4)).copy())
    drawn = random.poisson(like, Generator().manual_seed(2))
    assert drawn.dtype == like.dtype and (drawn.asnumpy() == np.floor(drawn.asnumpy())).all()
    assert (np.abs(drawn.asnumpy().mean(0) - rates) <= 5 * np.sqrt(rates / 5000)).all()
    np.testing.assert_array_equal(random.poisson(like, Generator().manual_seed(2)).asnumpy(), drawn.asnumpy())
    with pytest.raises(RuntimeError):
        random.poisson(Tensor([-1.0]))
