"""Gradients of gamma-like samples: PyTorch's at the same sample, and the definition, computed with many digits."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
import torch.distributions as td
from mindspore import Tensor

from torch2ms.runtime import _backend, manual_seed, tape, value_and_grad
from torch2ms.runtime import distributions as md
from torch2ms.runtime import grad as grad_of
from torch2ms.runtime.distributions._implicit import beta_derivative, gamma_derivative

CONCENTRATIONS = np.logspace(-2, 3, 21)
QUANTILES = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)


def drawn_between(a: np.ndarray, seed: int = 0) -> np.ndarray:
    """One gamma number for each concentration, none so small that it is no normal number."""
    return np.maximum(np.random.RandomState(seed).standard_gamma(a), 1e-300)


def test_gamma_against_pytorch() -> None:
    a = np.repeat(CONCENTRATIONS, 200)
    x = drawn_between(a)
    expected = torch._standard_gamma_grad(torch.tensor(a), torch.tensor(x)).numpy()
    error = np.abs(gamma_derivative(a, x) - expected) / np.abs(expected)
    # PyTorch's own approximation errs by up to 5e-4 inside, and by more in the tails: see the test with many digits
    assert np.quantile(error, 0.99) < 1e-3 and error.max() < 5e-3


def test_beta_against_pytorch() -> None:
    a, b = (part.reshape(-1).repeat(10) for part in np.meshgrid(CONCENTRATIONS, CONCENTRATIONS))
    first, second = drawn_between(a), drawn_between(b, 1)
    x = np.clip(first / (first + second), 1e-300, 1 - 1e-16)
    tensors = (torch.tensor(part) for part in (x, a, a + b))
    expected = torch._dirichlet_grad(*tensors).numpy()
    error = np.abs(beta_derivative(a, b, x) - expected) / np.abs(expected)
    assert np.quantile(error, 0.97) < 1e-3


@pytest.mark.parametrize("a", [1e-3, 1e-2, 0.5, 1.0, 7.0, 300.0, 1e4])
def test_gamma_against_its_definition(a: float) -> None:
    """The derivative of the distribution function by a difference with 40 digits."""
    mp = pytest.importorskip("mpmath")
    special = pytest.importorskip("scipy.special")
    with mp.workdps(40):
        for q in QUANTILES:
            x = float(special.gammaincinv(a, q))
            if x < 1e-300:
                continue
            step = mp.mpf(a) * mp.mpf(10) ** -12
            high, low = (mp.gammainc(mp.mpf(a) + s, 0, mp.mpf(x), regularized=True) for s in (step, -step))
            density = mp.mpf(x) ** (mp.mpf(a) - 1) * mp.exp(-mp.mpf(x)) / mp.gamma(mp.mpf(a))
            expected = float(-(high - low) / (2 * step) / density)
            assert gamma_derivative(np.array(a), np.array(x)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("a", [1e-2, 0.7, 3.0, 1e3])
@pytest.mark.parametrize("b", [1e-2, 1.0, 2.5, 1e3])
def test_beta_against_its_definition(a: float, b: float) -> None:
    mp = pytest.importorskip("mpmath")
    special = pytest.importorskip("scipy.special")
    with mp.workdps(40):
        for q in QUANTILES:
            x = float(special.betaincinv(a, b, q))
            if not 1e-300 < x < 1 - 1e-12:
                continue
            u, v, y = mp.mpf(a), mp.mpf(b), mp.mpf(x)
            step = u * mp.mpf(10) ** -12
            high, low = (mp.betainc(u + s, v, 0, y, regularized=True) for s in (step, -step))
            density = y ** (u - 1) * (1 - y) ** (v - 1) / mp.beta(u, v)
            expected = float(-(high - low) / (2 * step) / density / (1 - y))
            assert beta_derivative(np.array(a), np.array(b), np.array(x)) == pytest.approx(expected, rel=1e-6)


def test_ends_of_the_support_are_finite() -> None:
    a = np.array([1e-3, 0.5, 1.0, 50.0])[:, None]
    for x in (np.finfo(np.float32).tiny, 1e-10, 1.0 - 2**-24, 1.0):
        assert np.isfinite(beta_derivative(a, a.T, np.array(x))).all()
    for x in (np.finfo(np.float32).tiny, 1e-10, 1e3):
        assert np.isfinite(gamma_derivative(a, np.array(x))).all()


class _Given(torch.autograd.Function):
    """PyTorch's gamma numbers, with the values of the other library."""

    @staticmethod
    def forward(ctx: Any, concentration: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(concentration, drawn)
        return drawn.clone()

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad * torch._standard_gamma_grad(*ctx.saved_tensors), None


CASES: dict[str, dict[str, Any]] = {
    "Gamma": {"concentration": [0.5, 2.0, 30.0], "rate": [1.0, 3.0, 0.2]},
    "Chi2": {"df": [0.7, 3.0, 40.0]},
    "InverseGamma": {"concentration": [2.5, 4.0], "rate": [1.0, 0.5]},
    "StudentT": {"df": [2.5, 9.0, 40.0], "loc": [0.0, 1.0, -2.0], "scale": [1.0, 0.3, 2.0]},
    "FisherSnedecor": {"df1": [5.0, 9.0], "df2": [9.0, 30.0]},
    "Wishart": {"df": [5.0, 7.0], "covariance_matrix": np.stack([np.eye(3), np.diag([1.0, 2.0, 3.0]) + 0.2])},
}


def parameters(name: str) -> dict[str, np.ndarray]:
    return {key: np.asarray(value, np.float32) for key, value in CASES[name].items()}


@pytest.mark.parametrize("name", list(CASES))
def test_gradient_of_samples_made_of_gamma_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch runs its own rsample on the gamma and normal numbers that were drawn here."""
    from torch2ms.runtime.distributions import gamma

    given, drawn = parameters(name), []
    inner = gamma.standard_gamma
    monkeypatch.setattr(gamma, "standard_gamma", lambda a: drawn.append(inner(a)) or drawn[-1])

    def loss(*values: Tensor) -> Any:
        sample = getattr(md, name)(**dict(zip(given, values))).rsample((4,))
        return (sample * sample).sum(), sample

    manual_seed(5)
    arguments = [Tensor(value) for value in given.values()]
    (_, sample), grads = value_and_grad(loss, tuple(range(len(given))), has_aux=True)(*arguments)

    numbers = iter([value.asnumpy() for value in drawn])
    monkeypatch.setattr(
        td.gamma, "_standard_gamma", lambda a: _Given.apply(a, torch.tensor(next(numbers)).reshape(a.shape))
    )
    leaves = {key: torch.tensor(value, requires_grad=True) for key, value in given.items()}
    torch.manual_seed(5)
    theirs = getattr(td, name)(**leaves)
    if name == "Wishart":
        # the normal numbers below the diagonal are drawn in another order: they are recovered from the sample
        factor = np.linalg.cholesky(sample.asnumpy())
        scale = theirs.scale_tril.detach().numpy()
        noise = torch.tensor(np.tril(np.linalg.solve(scale, factor), -1))
        roots = theirs._dist_chi2.rsample((4,)).sqrt().diag_embed()
        whole = theirs.scale_tril @ (roots + noise)
        expected = whole @ whole.mT
    elif name == "StudentT":
        normal = (sample.asnumpy() - given["loc"]) / given["scale"]
        spread = theirs._chi2.rsample((4,))
        normal = torch.tensor(normal) * (spread / theirs.df).sqrt().detach()
        expected = theirs.loc + theirs.scale * normal * torch.rsqrt(spread / theirs.df)
    else:
        expected = theirs.rsample((4,))
    (expected**2).sum().backward()
    np.testing.assert_allclose(sample.asnumpy(), expected.detach().numpy(), rtol=2e-4, atol=1e-5)
    for key, grad, leaf in zip(given, grads, leaves.values()):
        found, wanted = grad.asnumpy(), leaf.grad.numpy()
        if wanted.ndim == 3:
            found, wanted = found + found.swapaxes(1, 2), wanted + wanted.swapaxes(1, 2)
        np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=2e-3 * np.abs(wanted).max(), err_msg=key)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (5,)])
def test_gradient_of_dirichlet_and_beta(kind: Any, shape: tuple[int, ...]) -> None:
    a = np.array([[0.5, 2.0, 9.0], [20.0, 0.1, 1.0]], kind)
    weight = np.random.RandomState(0).rand(*shape, 2, 3).astype(kind)

    def loss(concentration: Tensor) -> Any:
        sample = md.Dirichlet(concentration).rsample(shape)
        return (sample * Tensor(weight)).sum(), sample

    (_, sample), grad = value_and_grad(loss, 0, has_aux=True)(Tensor(a))
    assert sample.shape == (*shape, 2, 3) and sample.asnumpy().dtype == kind
    leaf = torch.tensor(a, requires_grad=True).expand(*shape, 2, 3)
    wanted = td.dirichlet._Dirichlet_backward(torch.tensor(sample.asnumpy()), leaf, torch.tensor(weight))
    np.testing.assert_allclose(grad.asnumpy(), wanted.detach().numpy().reshape(-1, 2, 3).sum(0), rtol=2e-3, atol=1e-4)

    def loss_of_beta(first: Tensor, second: Tensor) -> Any:
        sample = md.Beta(first, second).rsample(shape)
        return sample.sum(), sample

    (_, sample), grads = value_and_grad(loss_of_beta, (0, 1), has_aux=True)(Tensor(a[0]), Tensor(a[1]))
    x = torch.tensor(sample.asnumpy())
    both = torch.tensor(np.stack([a[0], a[1]], -1)).expand(*shape, 3, 2)
    out = torch.stack([torch.ones_like(x), torch.zeros_like(x)], -1)
    wanted = td.dirichlet._Dirichlet_backward(torch.stack([x, 1 - x], -1), both, out).reshape(-1, 3, 2).sum(0)
    for grad, column in zip(grads, wanted.unbind(-1)):
        np.testing.assert_allclose(grad.asnumpy(), column.numpy(), rtol=2e-3, atol=1e-4)


def test_the_mean_moves_as_it_must() -> None:
    """Averaged over many samples, the gradient of the mean is known, whatever PyTorch computes."""
    manual_seed(1)
    a = Tensor(np.array([0.05, 0.6, 4.0, 120.0], np.float32))
    grad = value_and_grad(lambda a: md.Gamma(a, 2.0).rsample((20000,)).sum() / 20000, 0)(a)[1].asnumpy()
    np.testing.assert_allclose(grad, 0.5, rtol=0.05)
    grad = value_and_grad(lambda a: md.Beta(a, 3.0).rsample((20000,)).sum() / 20000, 0)(a)[1].asnumpy()
    np.testing.assert_allclose(grad, 3.0 / (a.asnumpy() + 3.0) ** 2, rtol=0.05)


def test_on_the_tape() -> None:
    a = mindspore.Parameter(Tensor(np.array([0.4, 3.0], np.float32)), name="a")
    tape.start()
    try:
        sample = md.Gamma(a, 1.0).rsample()
        tape.backward(sample.sum())
    finally:
        _backend.stop_recording()
    wanted = torch._standard_gamma_grad(torch.tensor(a.asnumpy()), torch.tensor(sample.asnumpy())).numpy()
    np.testing.assert_allclose(a.grad.asnumpy(), wanted, rtol=2e-3)


def test_a_second_derivative_is_refused() -> None:
    """PyTorch raises as well: its gradient is not implemented twice."""
    a = torch.tensor([2.0], requires_grad=True)
    first = torch.autograd.grad(td.Gamma(a, 1.0).rsample().sum(), a, create_graph=True)[0]
    with pytest.raises(RuntimeError):
        torch.autograd.grad(first.sum(), a)

    def first_order(concentration: Tensor) -> Tensor:
        return grad_of(lambda c: md.Gamma(c, 1.0).rsample().sum(), 0)(concentration).sum()

    with pytest.raises(RuntimeError, match="differentiate twice"):
        value_and_grad(first_order, 0)(Tensor(np.array([2.0], np.float32)))


def test_sample_carries_no_gradient() -> None:
    def loss(a: Tensor) -> Tensor:
        return (md.Gamma(a, 1.0).sample() + md.Dirichlet(a).sample() + a).sum()

    grad = value_and_grad(loss, 0)(Tensor(np.array([2.0, 3.0], np.float32)))[1]
    np.testing.assert_array_equal(grad.asnumpy(), 1.0)
