"""Random tensors: after the same seed, the numbers that PyTorch draws on the CPU; under jit too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from tests.runtime.mint import parity
from torch2ms.runtime import _rng, grad, manual_seed, mint
from torch2ms.runtime.mint.nn import functional as F

WEIGHTS = np.random.RandomState(3).rand(3, 5).astype(np.float32)
T, M = torch.tensor(WEIGHTS), Tensor(WEIGHTS)


def rand() -> Any:
    return mint.rand(3, 7)


def rand_scalar() -> Any:
    return mint.rand(())


def rand_double() -> Any:
    return mint.rand(5, dtype=mindspore.float64)


def randn() -> Any:
    return mint.randn(3, 7)


def randn_many() -> Any:
    return mint.randn((50,))


def randint() -> Any:
    return mint.randint(2, 9, (20,))


def randint_below() -> Any:
    return mint.randint(9, (2, 3))


def randperm() -> Any:
    return mint.randperm(11)


def bernoulli() -> Any:
    return mint.bernoulli(M)


def multinomial() -> Any:
    return mint.multinomial(M, 3)


def multinomial_replaced() -> Any:
    return mint.multinomial(M, 9, True)


def normal() -> Any:
    return mint.normal(M, 2.0)


def normal_sized() -> Any:
    return mint.normal(1.0, 2.0, (4, 5))


def rand_like() -> Any:
    return mint.rand_like(M)


def randn_like() -> Any:
    return mint.randn_like(M)


def dropout() -> Any:
    return F.dropout(mint.ones((40,)), 0.3)


def dropout1d() -> Any:
    return F.dropout1d(mint.ones((4, 6, 2)), 0.3)


def dropout2d() -> Any:
    return F.dropout2d(mint.ones((4, 6, 2, 2)), 0.3)


def dropout3d() -> Any:
    return F.dropout3d(mint.ones((4, 6, 2, 2, 2)), 0.3)


def alpha_dropout() -> Any:
    return F.alpha_dropout(mint.ones((4, 6)), 0.3, True)


def feature_alpha_dropout() -> Any:
    return F.feature_alpha_dropout(mint.ones((4, 6, 2)), 0.3, True)


def gumbel_softmax() -> Any:
    return F.gumbel_softmax(M)


TF = torch.nn.functional
PAIRS: list[tuple[Callable[[], Any], Callable[[], torch.Tensor]]] = [
    (rand, lambda: torch.rand(3, 7)),
    (rand_scalar, lambda: torch.rand(())),
    (rand_double, lambda: torch.rand(5, dtype=torch.float64)),
    (randn, lambda: torch.randn(3, 7)),
    (randn_many, lambda: torch.randn(50)),
    (randint, lambda: torch.randint(2, 9, (20,))),
    (randint_below, lambda: torch.randint(9, (2, 3))),
    (randperm, lambda: torch.randperm(11)),
    (bernoulli, lambda: torch.bernoulli(T)),
    (multinomial, lambda: torch.multinomial(T, 3)),
    (multinomial_replaced, lambda: torch.multinomial(T, 9, True)),
    (normal, lambda: torch.normal(T, 2.0)),
    (normal_sized, lambda: torch.normal(1.0, 2.0, (4, 5))),
    (rand_like, lambda: torch.rand_like(T)),
    (randn_like, lambda: torch.randn_like(T)),
    (dropout, lambda: TF.dropout(torch.ones(40), 0.3)),
    (dropout1d, lambda: TF.dropout1d(torch.ones(4, 6, 2), 0.3)),
    (dropout2d, lambda: TF.dropout2d(torch.ones(4, 6, 2, 2), 0.3)),
    (dropout3d, lambda: TF.dropout3d(torch.ones(4, 6, 2, 2, 2), 0.3)),
    (alpha_dropout, lambda: TF.alpha_dropout(torch.ones(4, 6), 0.3, True)),
    (feature_alpha_dropout, lambda: TF.feature_alpha_dropout(torch.ones(4, 6, 2), 0.3, True)),
    (gumbel_softmax, lambda: TF.gumbel_softmax(T)),
]


@pytest.mark.parametrize("compiled", [False, True], ids=["python", "jit"])
@pytest.mark.parametrize(("ours", "theirs"), [pytest.param(*pair, id=pair[0].__name__) for pair in PAIRS])
def test_the_same_numbers_as_torch(ours: Callable[[], Any], theirs: Callable[[], Any], compiled: bool) -> None:
    torch.manual_seed(5)
    wanted = [theirs() for _ in range(2)]
    manual_seed(5)
    draw = mindspore.jit(ours) if compiled else ours
    for value in wanted:
        assert not parity.difference(value, draw(), 1e-5, 1e-6)


def test_the_mask_of_dropout_is_that_of_its_gradient() -> None:
    x = mint.ones((8, 8))

    def compiled(a: Tensor) -> Tensor:
        return F.dropout(a, 0.5)

    for function in (compiled, mindspore.jit(compiled)):
        manual_seed(1)
        value = function(x).asnumpy()
        manual_seed(1)
        assert np.array_equal(grad(function)(x).asnumpy(), value)


def test_every_draw_goes_through_one_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verifier replaces the functions of _rng and feeds both libraries."""
    monkeypatch.setattr(_rng, "uniform", lambda size, *a, **k: np.full(size, 0.25))
    monkeypatch.setattr(_rng, "normal", lambda size, *a, **k: np.full(size, 0.5))
    monkeypatch.setattr(_rng, "bernoulli_mask", lambda p, size, *a, **k: np.ones(size, bool))
    assert (mint.rand(3).asnumpy() == 0.25).all()
    assert (mint.randn_like(M).asnumpy() == 0.5).all()
    assert (F.dropout(mint.ones((3,)), 0.5).asnumpy() == 2).all()
    assert (mint.nn.Linear(3, 2).weight.asnumpy() == 0.25).all()
    assert (mint.nn.Embedding(3, 2).weight.asnumpy() == 0.5).all()


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_at_its_ends(p: float) -> None:
    assert not parity.difference(TF.dropout(T, p), F.dropout(M, p))


def test_dropout_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.dropout(M, 1.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        mint.nn.Dropout(-0.1)


def test_multinomial_refuses_what_has_no_mass() -> None:
    with pytest.raises(RuntimeError, match="sum of probabilities"):
        mint.multinomial(mint.zeros((2, 3)), 1)
    with pytest.raises(RuntimeError, match="without replacement"):
        mint.multinomial(M, 6)
