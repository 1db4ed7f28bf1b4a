"""Transforms and transformed distributions beside PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.distributions as td
from mindspore import Tensor

from tests.runtime.distributions.test_distributions import _assert_close
from torch2ms.runtime import distributions as md
from torch2ms.runtime import manual_seed, value_and_grad

RNG = np.random.RandomState(1)
X = RNG.randn(2, 3).astype(np.float32)
WIDE = np.float32([-60, -20, -1, 0.5, 20, 60])
LOC, SCALE = RNG.randn(3).astype(np.float32), np.float32([0.5, -2.0, 1.5])

# how a transform is made (of a library and a maker of its tensors), and its input
TRANSFORMS: dict[str, tuple[Any, np.ndarray]] = {
    "exp": (lambda d, t: d.ExpTransform(), X),
    "sigmoid": (lambda d, t: d.SigmoidTransform(), WIDE),
    "tanh": (lambda d, t: d.TanhTransform(), X),
    "softplus": (lambda d, t: d.SoftplusTransform(), X),
    "abs": (lambda d, t: d.AbsTransform(), X),
    "power": (lambda d, t: d.PowerTransform(t(np.float32([2.0, -1.0, 0.5]))), np.abs(X) + 0.1),
    "power of a number": (lambda d, t: d.PowerTransform(3.0), np.abs(X) + 0.1),
    "affine": (lambda d, t: d.AffineTransform(t(LOC), t(SCALE)), X),
    "affine of numbers": (lambda d, t: d.AffineTransform(1.0, -2.0), X),
    "affine of vectors": (lambda d, t: d.AffineTransform(t(LOC), t(SCALE), event_dim=1), X),
    "affine of vectors by numbers": (lambda d, t: d.AffineTransform(0.5, 3, event_dim=1), X),
    "softmax": (lambda d, t: d.SoftmaxTransform(), X),
    "stick breaking": (lambda d, t: d.StickBreakingTransform(), X),
    "lower cholesky": (lambda d, t: d.LowerCholeskyTransform(), RNG.randn(2, 3, 3).astype(np.float32)),
    "positive definite": (lambda d, t: d.PositiveDefiniteTransform(), RNG.randn(2, 3, 3).astype(np.float32)),
    "correlation": (lambda d, t: d.CorrCholeskyTransform(), RNG.randn(2, 6).astype(np.float32)),
    "reshape": (lambda d, t: d.ReshapeTransform((3,), (3, 1)), X),
    "independent": (lambda d, t: d.IndependentTransform(d.ExpTransform(), 1), X),
    "composed": (lambda d, t: d.ComposeTransform([d.AffineTransform(0.5, -2.0), d.TanhTransform()]), X),
    "composed of numbers and vectors": (
        lambda d, t: d.ComposeTransform([d.ExpTransform(), d.AffineTransform(t(LOC), t(SCALE), 1), d.SigmoidTransform()]),
        X,
    ),
    "composed of a change of size": (lambda d, t: d.ComposeTransform([d.TanhTransform(), d.StickBreakingTransform()]), X),
    "nothing": (lambda d, t: d.identity_transform, X),
    "side by side": (lambda d, t: d.CatTransform([d.ExpTransform(), d.TanhTransform()], -1, [1, 2]), X),
    "side by side in the batch": (lambda d, t: d.CatTransform([d.ExpTransform(), d.TanhTransform()], 0), X),
    "stacked": (lambda d, t: d.StackTransform([d.ExpTransform(), d.SigmoidTransform(), d.TanhTransform()], -1), X),
    "cumulative": (lambda d, t: d.CumulativeDistributionTransform(d.Normal(t(LOC), t(np.abs(SCALE)))), X),
}


def _made(name: str) -> tuple[Any, Any, np.ndarray]:
    make, x = TRANSFORMS[name]
    return make(td, torch.tensor), make(md, Tensor), x


@pytest.mark.parametrize("name", TRANSFORMS)
def test_values_inverse_and_derivative(name: str) -> None:
    theirs, ours, x = _made(name)
    y = theirs(torch.tensor(x))
    _assert_close(ours(Tensor(x)), y)
    _assert_close(ours.inv(Tensor(y.numpy())), theirs.inv(y), 1e-4)
    assert ours.bijective == theirs.bijective
    assert ours.inv.inv(Tensor(x)).shape == tuple(y.shape)
    for side in ("domain", "codomain"):
        if name not in ("side by side in the batch",):
            assert getattr(ours, side).event_dim == getattr(theirs, side).event_dim
    assert ours.forward_shape(x.shape) == tuple(theirs.forward_shape(torch.Size(x.shape)))
    assert ours.inverse_shape(tuple(y.shape)) == tuple(theirs.inverse_shape(y.shape))
    try:
        expected = theirs.log_abs_det_jacobian(torch.tensor(x), y)
    except NotImplementedError:
        with pytest.raises(NotImplementedError):
            ours.log_abs_det_jacobian(Tensor(x), Tensor(y.numpy()))
        return
    _assert_close(ours.log_abs_det_jacobian(Tensor(x), Tensor(y.numpy())), expected, 1e-4)


@pytest.mark.parametrize("name", [name for name in TRANSFORMS if name != "abs"])
def test_gradient(name: str) -> None:
    theirs, ours, x = _made(name)
    leaf = torch.tensor(x, requires_grad=True)
    (theirs(leaf) ** 2).sum().backward()
    _, grad = value_and_grad(lambda x: (ours(x) ** 2).sum(), 0)(Tensor(x))
    _assert_close(grad, leaf.grad, 1e-4)


@pytest.mark.parametrize("kind", ["TanhTransform", "SigmoidTransform", "ExpTransform"])
def test_the_memory_of_the_last_value(kind: str) -> None:
    ours = getattr(md, kind)(cache_size=1)
    x = Tensor(WIDE)
    y = ours(x)
    assert ours(x) is y
    assert ours.inv(y) is x
    assert getattr(md, kind)().inv(y) is not x
    assert getattr(md, kind)().with_cache(1)._cache_size == 1
    with pytest.raises(ValueError):
        getattr(md, kind)(cache_size=2)


def test_equality_and_sign() -> None:
    for d, t in ((td, torch.tensor), (md, Tensor)):
        assert d.ExpTransform() == d.ExpTransform()
        assert d.ExpTransform() != d.TanhTransform()
        assert d.AffineTransform(1.0, 2.0) == d.AffineTransform(1.0, 2.0)
        assert d.AffineTransform(1.0, 2.0) != d.AffineTransform(1.0, 3.0)
        assert d.PowerTransform(t([2.0])) == d.PowerTransform(t([2.0]))
        assert d.ComposeTransform([d.ExpTransform()]) == d.ComposeTransform([d.ExpTransform()])
        assert d.ExpTransform().inv == d.ExpTransform().inv
        assert d.AffineTransform(0.0, -2.0).sign == -1
        assert d.AffineTransform(0.0, t([-2.0, 3.0])).sign.tolist() == [-1, 1]
        assert d.ComposeTransform([d.ExpTransform(), d.AffineTransform(0.0, -2.0)]).sign == -1
        with pytest.raises(NotImplementedError):
            _ = d.SoftmaxTransform().sign


def _own(d: Any) -> Any:
    class Cubed(d.Transform):
        domain = d.constraints.real
        codomain = d.constraints.real
        bijective = True
        sign = +1

        def _call(self, x: Any) -> Any:
            return x**3

        def _inverse(self, y: Any) -> Any:
            return y.sign() * y.abs() ** (1 / 3)

        def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
            return (3 * x**2).log()

    return Cubed()


DISTRIBUTIONS: dict[str, Any] = {
    "numbers": lambda d, t: d.TransformedDistribution(
        d.Normal(t(LOC), t(np.abs(SCALE))), [d.TanhTransform(), d.AffineTransform(0.5, 2.0)]
    ),
    "vectors": lambda d, t: d.TransformedDistribution(
        d.Normal(t(LOC), t(np.abs(SCALE))), d.AffineTransform(t(LOC), t(SCALE), event_dim=1)
    ),
    "a larger batch": lambda d, t: d.TransformedDistribution(d.Normal(0.0, 1.0), d.AffineTransform(t(LOC), t(SCALE))),
    "probabilities": lambda d, t: d.TransformedDistribution(
        d.Normal(t(np.stack([LOC, LOC])), 1.0), d.StickBreakingTransform()
    ),
    "another shape": lambda d, t: d.TransformedDistribution(
        d.Independent(d.Normal(t(np.stack([LOC, LOC])), 1.0), 2), d.ReshapeTransform((2, 3), (6,))
    ),
    "decreasing": lambda d, t: d.TransformedDistribution(d.Uniform(t(np.zeros(3, np.float32)), 1.0), d.AffineTransform(1.0, -1.0)),
    "the inverse": lambda d, t: d.TransformedDistribution(
        d.Uniform(t(np.float32([0.1])), 0.9), [d.SigmoidTransform().inv, d.AffineTransform(loc=1.0, scale=2.0)]
    ),
    "a transform of one's own": lambda d, t: d.TransformedDistribution(d.Normal(t(LOC), 1.0), [_own(d)]),
    "nothing": lambda d, t: d.TransformedDistribution(d.Normal(t(LOC), 1.0), []),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_of_transformed_numbers(name: str) -> None:
    theirs, ours = DISTRIBUTIONS[name](td, torch.tensor), DISTRIBUTIONS[name](md, Tensor)
    assert ours.batch_shape == tuple(theirs.batch_shape)
    assert ours.event_shape == tuple(theirs.event_shape)
    torch.manual_seed(2)
    manual_seed(2)
    drawn = theirs.sample((5,))
    _assert_close(ours.sample((5,)), drawn, 1e-4)
    value = Tensor(drawn.numpy())
    _assert_close(ours.log_prob(value), theirs.log_prob(drawn), 1e-4)
    assert ours.support.event_dim == theirs.support.event_dim
    for method in ("cdf", "icdf"):
        given = drawn if method == "cdf" else torch.rand_like(drawn)
        try:
            expected = getattr(theirs, method)(given)
        except NotImplementedError:
            continue
        _assert_close(getattr(ours, method)(Tensor(given.numpy())), expected, 1e-3)
    larger = (4, *ours.batch_shape)
    assert ours.expand(larger).batch_shape == larger
    assert ours.expand(larger).sample().shape == tuple(theirs.expand(larger).sample().shape)


def test_too_small_a_base_is_refused() -> None:
    for d in (td, md):
        with pytest.raises(ValueError, match="at least 1"):
            d.TransformedDistribution(d.Normal(0.0, 1.0), d.StickBreakingTransform())


EXPANDED = ["Normal", "Uniform", "Exponential", "Gamma", "Chi2", "Beta", "StudentT", "HalfNormal", "Poisson", "Pareto", "Weibull",
            "Kumaraswamy", "InverseGamma", "FisherSnedecor", "LogNormal", "VonMises", "GeneralizedPareto"]  # fmt: skip


@pytest.mark.parametrize("name", EXPANDED)
def test_a_larger_batch(name: str) -> None:
    from tests.runtime.distributions.test_distributions import CASES, _pair

    arguments, value = next((a, v) for other, a, v in CASES if other == name)
    theirs, ours = _pair(name, arguments)
    shape = (4, *ours.batch_shape)
    larger, wanted = ours.expand(shape), theirs.expand(shape)
    value = value[-1] if value.ndim > len(ours.batch_shape) else value
    assert larger.batch_shape == shape == tuple(wanted.batch_shape)
    _assert_close(larger.log_prob(Tensor(value)), wanted.log_prob(torch.tensor(value)))
