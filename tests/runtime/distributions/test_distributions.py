"""Densities, entropies, samples and divergences beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.distributions as td
from mindspore import Tensor

from torch2ms.runtime import distributions as md
from torch2ms.runtime import manual_seed, value_and_grad

RNG = np.random.RandomState(3)


def _float(*shape: int, low: float = 0.2, high: float = 2.0) -> np.ndarray:
    return RNG.uniform(low, high, shape).astype(np.float32)


def _both(value: Any) -> tuple[Any, Any]:
    return (torch.tensor(value), Tensor(value)) if isinstance(value, np.ndarray) else (value, value)


MATRIX = _float(3, 3)
COVARIANCE = (MATRIX @ MATRIX.T + np.eye(3)).astype(np.float32)
LOGITS = _float(2, 4, low=-2.0)
CORRELATION = torch.linalg.cholesky(torch.tensor([[1.0, 0.3, -0.2], [0.3, 1.0, 0.5], [-0.2, 0.5, 1.0]])).numpy()
PROBS = LOGITS - LOGITS.min() + np.float32(0.1)

# name, arguments, values at which the density is compared
CASES: list[tuple[str, dict[str, Any], np.ndarray]] = [
    ("Normal", {"loc": _float(3), "scale": _float(3)}, _float(2, 3, low=-2.0)),
    ("Normal", {"loc": 0.5, "scale": 2.0}, _float(4)),
    ("Laplace", {"loc": _float(3), "scale": _float(3)}, _float(2, 3, low=-2.0)),
    ("Cauchy", {"loc": _float(3), "scale": _float(3)}, _float(3, low=-2.0)),
    ("Gumbel", {"loc": _float(3), "scale": _float(3)}, _float(3, low=-2.0)),
    ("HalfNormal", {"scale": _float(3)}, _float(3)),
    ("Uniform", {"low": np.zeros(3, np.float32), "high": _float(3, low=1.0)}, _float(3, high=0.9)),
    ("Exponential", {"rate": _float(3)}, _float(3)),
    ("LogNormal", {"loc": _float(3), "scale": _float(3)}, _float(3)),
    ("Gamma", {"concentration": _float(3), "rate": _float(3)}, _float(3)),
    ("Chi2", {"df": _float(3, low=1.0)}, _float(3)),
    ("Beta", {"concentration1": _float(3), "concentration0": _float(3)}, _float(3, low=0.1, high=0.9)),
    ("Dirichlet", {"concentration": _float(2, 4)}, PROBS / PROBS.sum(-1, keepdims=True)),
    ("StudentT", {"df": _float(3, low=2.1, high=5.0), "loc": _float(3), "scale": _float(3)}, _float(3)),
    ("Bernoulli", {"probs": _float(4, low=0.1, high=0.9)}, np.array([0, 1, 1, 0], np.float32)),
    ("Bernoulli", {"logits": _float(4, low=-2.0)}, np.array([0, 1, 1, 0], np.float32)),
    ("Geometric", {"probs": _float(3, low=0.1, high=0.9)}, np.array([0, 3, 1], np.float32)),
    ("Categorical", {"logits": LOGITS}, np.array([3, 1])),
    ("Categorical", {"probs": PROBS}, np.array([[3, 1], [0, 2]])),
    ("Categorical", {"probs": PROBS[0]}, np.array(2)),
    ("OneHotCategorical", {"logits": LOGITS}, np.eye(4, dtype=np.float32)[[3, 1]]),
    ("Poisson", {"rate": _float(3)}, np.array([0, 3, 1], np.float32)),
    ("Binomial", {"total_count": 5, "probs": _float(3, low=0.1, high=0.9)}, np.array([0, 3, 5], np.float32)),
    ("Multinomial", {"total_count": 3, "probs": PROBS[0]}, np.array([1, 0, 2, 0], np.float32)),
    ("HalfCauchy", {"scale": _float(3)}, _float(3)),
    ("Pareto", {"scale": _float(3, high=0.9), "alpha": _float(3, low=2.5, high=4.0)}, _float(3, low=1.0)),
    ("Pareto", {"scale": 1.0, "alpha": np.array([0.5, 1.5, 3.0], np.float32)}, _float(3, low=1.1)),
    ("Weibull", {"scale": _float(3), "concentration": _float(3, low=1.1)}, _float(3)),
    ("Kumaraswamy", {"concentration1": _float(3), "concentration0": _float(3)}, _float(3, low=0.1, high=0.9)),
    ("InverseGamma", {"concentration": np.array([0.5, 1.5, 3.0], np.float32), "rate": _float(3)}, _float(3)),
    ("FisherSnedecor", {"df1": _float(3, low=1.0, high=6.0), "df2": np.array([1.0, 3.0, 9.0], np.float32)}, _float(3)),
    ("NegativeBinomial", {"total_count": _float(3), "probs": _float(3, low=0.1, high=0.9)}, np.array([0, 3, 1], np.float32)),
    ("NegativeBinomial", {"total_count": 4.0, "logits": _float(3, low=-2.0)}, np.array([0, 3, 1], np.float32)),
    ("RelaxedBernoulli", {"temperature": np.float32([0.7]), "probs": _float(3, low=0.1, high=0.9)}, _float(3, low=0.1, high=0.9)),
    ("RelaxedBernoulli", {"temperature": np.float32([0.7]), "logits": _float(3, low=-2.0)}, _float(3, low=0.1, high=0.9)),
    ("RelaxedOneHotCategorical", {"temperature": np.float32([0.7]), "logits": LOGITS}, PROBS / PROBS.sum(-1, keepdims=True)),
    ("RelaxedOneHotCategorical", {"temperature": np.float32([0.7]), "probs": PROBS[0]}, PROBS / PROBS.sum(-1, keepdims=True)),
    ("MultivariateNormal", {"loc": _float(3), "covariance_matrix": COVARIANCE}, _float(2, 3)),
    ("MultivariateNormal", {"loc": _float(2, 3), "scale_tril": np.linalg.cholesky(COVARIANCE)}, _float(2, 3)),
    ("MultivariateNormal", {"loc": _float(3), "precision_matrix": COVARIANCE}, _float(2, 3)),
    ("ContinuousBernoulli", {"probs": np.array([0.1, 0.4995, 0.9], np.float32)}, _float(3, low=0.1, high=0.9)),
    ("ContinuousBernoulli", {"logits": _float(3, low=-2.0)}, _float(2, 3, low=0.1, high=0.9)),
    ("GeneralizedPareto", {"loc": np.zeros(3, np.float32), "scale": _float(3), "concentration": np.float32([-0.1, 0.0, 0.7])}, _float(3)),
    ("GeneralizedPareto", {"loc": 0.5, "scale": 2.0, "concentration": 0.3}, _float(4, low=0.6)),
    ("VonMises", {"loc": _float(3), "concentration": np.float32([0.5, 2.0, 9.0])}, _float(2, 3, low=-3.0)),
    ("LogisticNormal", {"loc": _float(3), "scale": _float(3)}, PROBS / PROBS.sum(-1, keepdims=True)),
    ("LogisticNormal", {"loc": 0.3, "scale": 0.7}, np.float32([0.25, 0.75])),
    ("LowRankMultivariateNormal", {"loc": _float(2, 3), "cov_factor": _float(3, 2), "cov_diag": _float(3)}, _float(2, 3)),
    ("LKJCholesky", {"dim": 3, "concentration": np.float32([0.5, 2.0])}, CORRELATION),
    ("LKJCholesky", {"dim": 3}, CORRELATION),
    ("Wishart", {"df": np.float32([4.5, 6.0]), "covariance_matrix": COVARIANCE}, COVARIANCE * np.float32(2)),
    ("Wishart", {"df": 5.0, "scale_tril": np.linalg.cholesky(COVARIANCE)}, COVARIANCE),
    ("Wishart", {"df": 5.0, "precision_matrix": COVARIANCE}, COVARIANCE),
]
IDS = [f"{name}-{'-'.join(arguments)}" for name, arguments, _ in CASES]
WITH_PARAMETERS = [case for case in CASES if any(isinstance(value, np.ndarray) for value in case[1].values())]


def _pair(name: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
    theirs, ours = ({key: _both(value)[i] for key, value in arguments.items()} for i in (0, 1))
    return getattr(td, name)(**theirs), getattr(md, name)(**ours)


def _assert_close(ours: Tensor, theirs: torch.Tensor, tolerance: float = 2e-5) -> None:
    assert tuple(ours.shape) == tuple(theirs.shape)
    np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), tolerance, tolerance)


@pytest.mark.parametrize(("name", "arguments", "value"), CASES, ids=IDS)
def test_shapes_density_and_moments(name: str, arguments: dict[str, Any], value: np.ndarray) -> None:
    theirs, ours = _pair(name, arguments)
    assert ours.batch_shape == tuple(theirs.batch_shape)
    assert ours.event_shape == tuple(theirs.event_shape)
    _assert_close(ours.log_prob(Tensor(value)), theirs.log_prob(torch.tensor(value)))
    for moment in ("mean", "variance", "entropy", "mode"):
        try:
            expected = getattr(theirs, moment)
            expected = expected() if callable(expected) else expected
        except NotImplementedError:
            continue
        try:
            found = getattr(ours, moment)
            found = found() if callable(found) else found
        except NotImplementedError:
            continue
        _assert_close(found, expected)


@pytest.mark.parametrize(("name", "arguments", "value"), WITH_PARAMETERS)
def test_gradient_of_density(name: str, arguments: dict[str, Any], value: np.ndarray) -> None:
    names = [key for key, given in arguments.items() if isinstance(given, np.ndarray)]
    fixed = {key: given for key, given in arguments.items() if key not in names}
    leaves = [torch.tensor(arguments[key], requires_grad=True) for key in names]
    getattr(td, name)(**fixed, **dict(zip(names, leaves))).log_prob(torch.tensor(value)).sum().backward()

    def density(*parameters: Tensor) -> Tensor:
        return getattr(md, name)(**fixed, **dict(zip(names, parameters))).log_prob(Tensor(value)).sum()

    positions = tuple(range(len(names)))
    _, grads = value_and_grad(density, positions)(*(Tensor(arguments[key]) for key in names))
    for grad, leaf in zip(grads, leaves):
        expected = leaf.grad
        if "covariance" in names[-1] or "precision" in names[-1]:
            # only the symmetric part of the gradient by a symmetric matrix is defined
            if expected.ndim == 2 and expected.shape[0] == expected.shape[1]:
                expected, grad = expected + expected.mT, grad + grad.mT
        _assert_close(grad, expected, 1e-4)


SAME_SAMPLES = ("Normal", "Uniform", "Exponential", "Laplace", "Gumbel", "Bernoulli", "Categorical", "OneHotCategorical",
                "HalfNormal", "LogNormal", "Geometric", "MultivariateNormal", "Multinomial", "Pareto", "Weibull", "Kumaraswamy",
                "RelaxedBernoulli", "RelaxedOneHotCategorical", "Cauchy", "HalfCauchy", "ContinuousBernoulli", "GeneralizedPareto",
                "VonMises", "LogisticNormal", "LowRankMultivariateNormal")  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "value"), CASES, ids=IDS)
@pytest.mark.parametrize("shape", [(), (5,), (2, 20)], ids=str)
def test_samples(name: str, arguments: dict[str, Any], value: np.ndarray, shape: tuple[int, ...]) -> None:
    theirs, ours = _pair(name, arguments)
    torch.manual_seed(4)
    manual_seed(4)
    expected, found = theirs.sample(shape), ours.sample(shape)
    assert tuple(found.shape) == tuple(expected.shape)
    assert str(found.dtype).lower() == str(expected.dtype).removeprefix("torch.")
    if name in SAME_SAMPLES:
        _assert_close(found, expected, 1e-4)


@pytest.mark.parametrize("name", ["Gamma", "Beta", "Poisson", "Binomial", "StudentT", "Chi2", "Dirichlet", "Cauchy", "NegativeBinomial", "Wishart"])
def test_sample_statistics(name: str) -> None:
    arguments = next(arguments for other, arguments, _ in CASES if other == name)
    theirs, ours = _pair(name, arguments)
    manual_seed(1)
    drawn = ours.sample((4000,)).asnumpy()
    if name == "Cauchy":
        np.testing.assert_allclose(np.median(drawn, 0), arguments["loc"], atol=0.2)
        return
    spread = np.sqrt(theirs.variance.numpy() / 4000)
    assert (np.abs(drawn.mean(0) - theirs.mean.numpy()) < 5 * spread).all()


@pytest.mark.parametrize(
    "name",
    ["Normal", "Laplace", "Uniform", "Exponential", "LogNormal", "MultivariateNormal", "HalfCauchy", "Pareto", "Weibull",
     "Kumaraswamy", "RelaxedBernoulli", "RelaxedOneHotCategorical", "ContinuousBernoulli", "GeneralizedPareto",
     "LogisticNormal", "LowRankMultivariateNormal"],
)  # fmt: skip
def test_gradient_of_samples(name: str) -> None:
    arguments = next(a for other, a, _ in CASES if other == name and all(isinstance(v, np.ndarray) for v in a.values()))
    leaves = {key: torch.tensor(value, requires_grad=True) for key, value in arguments.items()}
    torch.manual_seed(2)
    (getattr(td, name)(**leaves).rsample((3,)) ** 2).sum().backward()

    def loss(*parameters: Tensor) -> Tensor:
        drawn = getattr(md, name)(**dict(zip(arguments, parameters))).rsample((3,))
        return (drawn * drawn).sum()

    manual_seed(2)
    _, grads = value_and_grad(loss, tuple(range(len(arguments))))(*(Tensor(v) for v in arguments.values()))
    for grad, leaf in zip(grads, leaves.values()):
        expected = leaf.grad
        if name == "MultivariateNormal" and expected.ndim == 2:
            expected, grad = expected + expected.mT, grad + grad.mT
        _assert_close(grad, expected, 2e-3)


def test_samples_carry_no_gradient() -> None:
    def loss(mean: Tensor) -> Tensor:
        return (md.Normal(mean, 1.0).sample() * mean).sum()

    manual_seed(0)
    value, grad = value_and_grad(loss, 0)(Tensor([2.0, 3.0]))
    manual_seed(0)
    np.testing.assert_allclose(grad.asnumpy(), md.Normal(Tensor([2.0, 3.0]), 1.0).sample().asnumpy(), 1e-6)


KINDS = ["Normal", "LogNormal", "Bernoulli", "Categorical", "OneHotCategorical", "Exponential", "Laplace", "Gamma", "Beta",
         "Dirichlet", "MultivariateNormal"]  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_divergence(name: str) -> None:
    arguments = next(a for other, a, _ in CASES if other == name and all(isinstance(v, np.ndarray) for v in a.values()))
    changed = {key: value * np.float32(0.8) for key, value in arguments.items()}
    (p, mine_p), (q, mine_q) = _pair(name, arguments), _pair(name, changed)
    _assert_close(md.kl_divergence(mine_p, mine_q), td.kl_divergence(p, q), 1e-4)


def test_divergences_that_are_infinite() -> None:
    wide, narrow = md.Uniform(0.0, 2.0), md.Uniform(0.5, 1.0)
    assert np.isinf(md.kl_divergence(wide, narrow).asnumpy())
    assert not np.isinf(md.kl_divergence(narrow, wide).asnumpy())
    with pytest.raises(NotImplementedError, match="Normal.*Uniform"):
        md.kl_divergence(md.Normal(0.0, 1.0), wide)


def test_independent_and_mixture() -> None:
    loc, scale = _float(2, 3), _float(2, 3)
    value = _float(2, 3)
    theirs = td.Independent(td.Normal(torch.tensor(loc), torch.tensor(scale)), 1)
    ours = md.Independent(md.Normal(Tensor(loc), Tensor(scale)), 1)
    assert (ours.batch_shape, ours.event_shape) == (tuple(theirs.batch_shape), tuple(theirs.event_shape))
    _assert_close(ours.log_prob(Tensor(value)), theirs.log_prob(torch.tensor(value)))
    _assert_close(ours.entropy(), theirs.entropy())
    weights = _float(2)
    mixed = td.MixtureSameFamily(td.Categorical(torch.tensor(weights)), td.Normal(torch.tensor(loc[:, 0]), 1.0))
    mine = md.MixtureSameFamily(md.Categorical(Tensor(weights)), md.Normal(Tensor(loc[:, 0]), 1.0))
    _assert_close(mine.log_prob(Tensor(value[0])), mixed.log_prob(torch.tensor(value[0])))
    _assert_close(mine.mean, mixed.mean)
    _assert_close(mine.variance, mixed.variance)
    assert mine.sample((7,)).shape == (7,)


def test_transformed_distribution_of_a_squashed_policy() -> None:
    loc, scale, value = _float(3), _float(3), _float(3, low=-0.8, high=0.8)
    theirs = td.TransformedDistribution(
        td.Normal(torch.tensor(loc), torch.tensor(scale)),
        [td.TanhTransform(), td.AffineTransform(0.5, 2.0)],
    )
    ours = md.TransformedDistribution(
        md.Normal(Tensor(loc), Tensor(scale)), [md.TanhTransform(), md.AffineTransform(0.5, 2.0)]
    )
    _assert_close(ours.log_prob(Tensor(value)), theirs.log_prob(torch.tensor(value)), 1e-4)
    torch.manual_seed(1)
    manual_seed(1)
    _assert_close(ours.rsample((4,)), theirs.rsample((4,)))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Normal", {"loc": 0.0, "scale": -1.0}),
        ("Normal", {"loc": np.array([np.nan], np.float32), "scale": 1.0}),
        ("Bernoulli", {"probs": 1.5}),
        ("Categorical", {"probs": np.array([-1.0, 2.0], np.float32)}),
        ("Categorical", {"logits": np.array([np.nan, 2.0], np.float32)}),
        ("Exponential", {"rate": 0.0}),
        ("Uniform", {"low": 1.0, "high": 0.0}),
        ("Categorical", {}),
    ],
    ids=str,
)
def test_impossible_parameters_are_refused(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        getattr(td, name)(**{key: _both(value)[0] for key, value in arguments.items()})
    with pytest.raises(ValueError):
        getattr(md, name)(**{key: _both(value)[1] for key, value in arguments.items()})


def test_samples_with_a_gradient_are_refused_where_there_is_none() -> None:
    with pytest.raises(NotImplementedError, match="rsample"):
        md.Categorical(Tensor([0.5, 0.5])).rsample()
