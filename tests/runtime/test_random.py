"""The random stream beside PyTorch's CPU generator: the same numbers from the same seed."""

from __future__ import annotations

import pickle
import random as python_random
from typing import Any

import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import _rng, manual_seed, mint, random
from torch2ms.runtime._stream import Stream

SEEDS = [0, 1, 42, 2**31 + 5, 2**32 + 3, 2**40, -1, 2**64 - 1]
SIZES = [1, 2, 15, 16, 17, 33, 700]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_stream_is_pytorchs(seed: int) -> None:
    theirs, ours = torch.Generator().manual_seed(seed), Stream(seed)
    assert ours.initial_seed == theirs.initial_seed()
    for n in SIZES:
        np.testing.assert_array_equal(ours.random(n), torch.rand(n, generator=theirs).numpy())
        np.testing.assert_allclose(ours.standard_normal(n), torch.randn(n, generator=theirs).numpy(), 1e-5, 1e-6)
        np.testing.assert_array_equal(ours.permutation(n), torch.randperm(n, generator=theirs).numpy())
        np.testing.assert_array_equal(ours.integers(-3, 90, n), torch.randint(-3, 90, (n,), generator=theirs).numpy())
        exponential = torch.empty(n).exponential_(1.0, generator=theirs).numpy()
        np.testing.assert_allclose(ours.standard_exponential(n), exponential, 1e-5, 1e-7)
        doubles = torch.rand(n, generator=theirs, dtype=torch.float64).numpy()
        np.testing.assert_array_equal(ours.random(n, np.float64), doubles)
        doubles = torch.randn(n, generator=theirs, dtype=torch.float64).numpy()
        np.testing.assert_allclose(ours.standard_normal(n, np.float64), doubles, 1e-9, 1e-12)


@pytest.mark.parametrize("high", [2, 2**27, 2**28 - 1, 2**28, 2**31, 2**32, 2**40, 2**62])
def test_wide_ranges_of_integers(high: int) -> None:
    theirs, ours = torch.Generator().manual_seed(5), Stream(5)
    np.testing.assert_array_equal(ours.integers(0, high, 20), torch.randint(0, high, (20,), generator=theirs).numpy())
    with pytest.raises(RuntimeError):
        ours.integers(3, 3, 1)


def test_shapes() -> None:
    stream = Stream(0)
    assert stream.random().shape == () and stream.random((2, 0)).shape == (2, 0) and stream.standard_normal((3, 4)).shape == (3, 4)
    assert stream.permutation(0).tolist() == [] and stream.permutation(1).tolist() == [0]


def test_dropout_masks_and_bernoulli_are_pytorchs() -> None:
    torch.manual_seed(3)
    manual_seed(3)
    mask = torch.nn.functional.dropout(torch.ones(50), 0.3) > 0
    np.testing.assert_array_equal(_rng.bernoulli_mask(0.7, 50), mask.numpy())
    chances = torch.rand(50)
    _rng.uniform(50)
    np.testing.assert_array_equal(_rng.bernoulli_mask(chances.numpy(), 50), torch.bernoulli(chances).bool().numpy())


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_multinomial(replacement: bool, n: int) -> None:
    weights = torch.tensor([[0.1, 0.2, 0.7, 0.4], [5.0, 1.0, 1.0, 2.0]])
    torch.manual_seed(1)
    manual_seed(1)
    for _ in range(5):
        expected = torch.multinomial(weights, n, replacement).numpy()
        np.testing.assert_array_equal(_rng.multinomial(weights.numpy(), n, replacement), expected)
        expected = torch.multinomial(weights[0], n, replacement).numpy()
        np.testing.assert_array_equal(_rng.multinomial(weights[0].numpy(), n, replacement), expected)


def test_mint_draws_from_the_stream() -> None:
    torch.manual_seed(11)
    manual_seed(11)
    np.testing.assert_array_equal(mint.rand(3, 4).asnumpy(), torch.rand(3, 4).numpy())
    np.testing.assert_allclose(mint.randn(5, 7).asnumpy(), torch.randn(5, 7).numpy(), 1e-5, 1e-6)
    np.testing.assert_array_equal(mint.randint(0, 10, (6,)).asnumpy(), torch.randint(0, 10, (6,)).numpy())
    np.testing.assert_array_equal(mint.randperm(9).asnumpy(), torch.randperm(9).numpy())
    theirs, ours = torch.Generator().manual_seed(2), random.Generator().manual_seed(2)
    np.testing.assert_array_equal(mint.rand(3, generator=ours).asnumpy(), torch.rand(3, generator=theirs).numpy())
    np.testing.assert_array_equal(mint.rand(2).asnumpy(), torch.rand(2).numpy())


@pytest.mark.parametrize("count", [0, 1, 3, 16, 623, 624, 1000])
def test_states_go_over_and_back(count: int) -> None:
    theirs, ours = torch.Generator().manual_seed(4), random.Generator().manual_seed(4)
    torch.rand(count, generator=theirs)
    torch.randn(1, generator=theirs)
    ours.set_state(Tensor(theirs.get_state().numpy()))
    np.testing.assert_array_equal(ours.get_state().asnumpy(), theirs.get_state().numpy())
    np.testing.assert_allclose(ours.stream.standard_normal(3), torch.randn(3, generator=theirs).numpy(), 1e-6)
    ours.stream.standard_normal(1)
    theirs.set_state(torch.tensor(ours.get_state().asnumpy()))
    np.testing.assert_allclose(ours.stream.standard_normal(5), torch.randn(5, generator=theirs).numpy(), 1e-6)


@pytest.mark.parametrize("state", [np.zeros(5, np.uint8), np.full(5056, 255, np.uint8)], ids=["short", "damaged"])
def test_damaged_states(state: np.ndarray) -> None:
    with pytest.raises(RuntimeError):
        random.set_rng_state(Tensor(state))


def test_generators() -> None:
    generator = random.Generator("cuda")
    assert generator.initial_seed() == torch.Generator().initial_seed()
    assert generator.manual_seed(3) is generator and generator.initial_seed() == 3
    copy, clone = pickle.loads(pickle.dumps(generator)), generator.clone_state()
    drawn = generator.stream.random(3).tolist()
    assert copy.stream.random(3).tolist() == drawn == clone.stream.random(3).tolist()
    first, second = generator.seed(), generator.seed()
    assert first != second and generator.initial_seed() == second
    with pytest.raises(RuntimeError):
        generator.manual_seed(2**64)


def test_seeding() -> None:
    np.random.seed(1)
    before = np.random.rand(2)
    np.random.seed(1)
    default = manual_seed(7)
    assert np.random.rand(2).tolist() == before.tolist(), "numpy's own generator is left alone"
    python_random.seed(1)
    drawn_by_python = python_random.random()
    python_random.seed(1)
    manual_seed(7)
    assert python_random.random() == drawn_by_python, "Python's own generator is left alone"
    assert default is random.default_generator and default.initial_seed() == random.initial_seed() == 7
    drawn = _rng.uniform(3).tolist()
    random.manual_seed_all(7)
    assert _rng.uniform(3).tolist() == drawn
    default.manual_seed(7)
    assert _rng.uniform(3).tolist() == drawn
    assert random.seed() == random.initial_seed()


def test_states_of_the_process() -> None:
    manual_seed(1)
    state, everything = random.get_rng_state(), random.get_rng_state_all()
    drawn = _rng.normal(3).tolist()
    random.set_rng_state(state)
    assert _rng.normal(3).tolist() == drawn
    random.set_rng_state_all(everything)
    assert _rng.normal(3).tolist() == drawn


@pytest.mark.parametrize("enabled", [True, False])
def test_fork_rng(enabled: bool) -> None:
    manual_seed(1)
    expected = _rng.uniform(4).tolist()
    manual_seed(1)
    with random.fork_rng(devices=[0], enabled=enabled):
        inside = _rng.uniform(2).tolist()
    assert inside == expected[:2]
    assert _rng.uniform(2).tolist() == (expected[:2] if enabled else expected[2:])


def test_every_draw_goes_through_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    def fixed(size: Any, *_args: Any, **_kwargs: Any) -> np.ndarray:
        return np.full(size, 0.5)

    monkeypatch.setattr(_rng, "uniform", fixed)
    assert mint.rand(2).asnumpy().tolist() == [0.5, 0.5]
    from torch2ms.runtime import distributions

    assert distributions.Uniform(0.0, 2.0).sample((1,)).asnumpy().tolist() == [1.0]
