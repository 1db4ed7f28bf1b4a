"""The gamma distribution and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _backend, _rng, mint
from ..mint._trace import compiling
from ._base import Distribution, ExponentialFamily, numpy_type, positive, tensors
from ._reparameterized import dirichlet, standard_gamma


def not_zero(value: Tensor) -> Tensor:
    """Return the smallest normal number in place of smaller ones; the gradient is that of `value`."""
    least = float(np.finfo(numpy_type(value)).tiny)
    return value + ops.stop_gradient(mint.where(value < least, least - value, ops.zeros_like(value)))


def _log_beta(first: Tensor, second: Tensor) -> Tensor:
    return ops.lgamma(first) + ops.lgamma(second) - ops.lgamma(first + second)


class DrawnOnHost(Distribution):
    """A distribution whose samples are computed by numpy, and their gradient too."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        if compiling():
            # the compiler runs numpy as it is, and takes the gradient for 0
            raise NotImplementedError(f"{type(self).__name__}.rsample has no gradient in compiled functions")
        return self._draw(sample_shape)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values that carry no gradient."""
        with _backend.grad_mode(False):
            return ops.stop_gradient(self._draw(sample_shape))

    def _draw(self, sample_shape: Any) -> Tensor:
        raise NotImplementedError


class Gamma(DrawnOnHost, ExponentialFamily):
    """The time to the n-th of events that come at a rate."""

    _named: tuple[str, ...] = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = tensors(concentration, rate)
        super().__init__(self.concentration.shape, (), validate_args)
        self._require("concentration", self.concentration, positive, "GreaterThan(lower_bound=0.0)")
        self._require("rate", self.rate, positive, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return mint.clamp((self.concentration - 1) / self.rate, min=0)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.concentration / (self.rate * self.rate)

    def _draw(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        return not_zero(standard_gamma(mint.broadcast_to(self.concentration, shape)) / self.rate)

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        rate, value = tensors(self.rate, value)
        density = mint.xlogy(self.concentration, rate) + mint.xlogy(self.concentration - 1, value)
        return density - rate * value - ops.lgamma(self.concentration)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a = self.concentration
        return a - mint.log(self.rate) + ops.lgamma(a) + (1.0 - a) * ops.digamma(a)


class Chi2(Gamma):
    """The sum of squares of normal numbers."""

    _named = ("df",)

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (degrees,) = tensors(df)
        super().__init__(0.5 * degrees, 0.5, validate_args)

    @property
    def df(self) -> Tensor:
        """How many numbers are squared."""
        return self.concentration * 2


class Beta(DrawnOnHost, ExponentialFamily):
    """A probability, by two concentrations."""

    _named = ("concentration1", "concentration0")

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = tensors(concentration1, concentration0)
        super().__init__(self.concentration1.shape, (), validate_args)
        for name in ("concentration1", "concentration0"):
            self._require(name, getattr(self, name), positive, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total * total * (total + 1))

    def _draw(self, sample_shape: Any) -> Tensor:
        both = mint.stack((self.concentration1, self.concentration0), -1)
        return dirichlet(mint.broadcast_to(both, (*self._extended_shape(sample_shape), 2)))[..., 0]

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        a, b, value = tensors(self.concentration1, self.concentration0, value)
        return mint.xlogy(a - 1, value) + mint.xlogy(b - 1, 1 - value) - _log_beta(a, b)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a, b = self.concentration1, self.concentration0
        inside = (a - 1) * ops.digamma(a) + (b - 1) * ops.digamma(b) - (a + b - 2) * ops.digamma(a + b)
        return _log_beta(a, b) - inside


class Dirichlet(DrawnOnHost, ExponentialFamily):
    """Probabilities of several classes, along the last dimension."""

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.ndim < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args)
        self._require("concentration", concentration, positive, "IndependentConstraint(GreaterThan(lower_bound=0.0), 1)")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        return Dirichlet(mint.broadcast_to(self.concentration, tuple(batch_shape) + self._event_shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.concentration / mint.sum(self.concentration, -1, True)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        total = mint.sum(self.concentration, -1, True)
        return self.concentration * (total - self.concentration) / (total * total * (total + 1))

    def _draw(self, sample_shape: Any) -> Tensor:
        return dirichlet(mint.broadcast_to(self.concentration, self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        a = self.concentration
        inside = mint.sum(mint.xlogy(a - 1, value), -1)
        return inside + ops.lgamma(mint.sum(a, -1)) - mint.sum(ops.lgamma(a), -1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a, k = self.concentration, self.concentration.shape[-1]
        total = mint.sum(a, -1)
        constant = mint.sum(ops.lgamma(a), -1) - ops.lgamma(total)
        return constant - (k - total) * ops.digamma(total) - mint.sum((a - 1.0) * ops.digamma(a), -1)


class StudentT(DrawnOnHost):
    """The distribution of a mean whose spread is estimated."""

    _named = ("df", "loc", "scale")

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = tensors(df, loc, scale)
        super().__init__(self.df.shape, (), validate_args)
        self._require("df", self.df, positive, "GreaterThan(lower_bound=0.0)")
        self._require("scale", self.scale, positive, "GreaterThan(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean, where it exists."""
        return mint.where(self.df <= 1, ops.full_like(self.loc, float("nan")), self.loc)

    def _draw(self, sample_shape: Any) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = Tensor(_rng.normal(shape, dtype=numpy_type(self.df)))
        spread = Chi2(mint.broadcast_to(self.df, shape), False)._draw(())
        return self.loc + self.scale * (normal * mint.rsqrt(spread / self.df))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        distance = (value - self.loc) / self.scale
        constant = mint.log(self.scale) + 0.5 * mint.log(self.df * np.pi)
        constant = constant + ops.lgamma(0.5 * self.df) - ops.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * mint.log1p(distance * distance / self.df) - constant
