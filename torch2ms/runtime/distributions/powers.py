"""Distributions that are powers, or exponentials, of simpler random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import mint
from ._base import Distribution, numpy_type, positive, tensors
from .continuous import Exponential, Uniform
from .gamma import DrawnOnHost, Gamma
from .transformed import TransformedDistribution
from .transforms import AffineTransform, ExpTransform, PowerTransform

_POSITIVE = "GreaterThan(lower_bound=0.0)"


def _where(condition: Tensor, value: Tensor, otherwise: float) -> Tensor:
    return mint.where(condition, value, ops.full_like(value, otherwise))


class Pareto(TransformedDistribution):
    """The distribution of sizes whose tail is a power."""

    _named = ("scale", "alpha")

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = tensors(scale, alpha)
        transforms = [ExpTransform(), AffineTransform(0, self.scale)]
        super().__init__(Exponential(self.alpha, validate_args), transforms, validate_args)
        self._require("scale", self.scale, positive, _POSITIVE)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return Pareto(mint.broadcast_to(self.scale, shape), mint.broadcast_to(self.alpha, shape))

    @property
    def mean(self) -> Tensor:
        """The mean, infinite for alpha up to 1."""
        a = mint.clamp(self.alpha, min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance, infinite for alpha up to 2."""
        a = mint.clamp(self.alpha, min=2)
        return self.scale * self.scale * a / ((a - 1) * (a - 1) * (a - 2))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return mint.log(self.scale / self.alpha) + (1 + 1 / self.alpha)


class Weibull(TransformedDistribution):
    """The distribution of times to a failure."""

    _named = ("scale", "concentration")

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = tensors(scale, concentration)
        self._require("scale", self.scale, positive, _POSITIVE)
        self._require("concentration", self.concentration, positive, _POSITIVE)
        transforms = [PowerTransform(1 / self.concentration), AffineTransform(0, self.scale)]
        super().__init__(Exponential(ops.ones_like(self.scale), validate_args), transforms, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return Weibull(mint.broadcast_to(self.scale, shape), mint.broadcast_to(self.concentration, shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.scale * mint.exp(ops.lgamma(1 + 1 / self.concentration))

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        k = self.concentration
        return self.scale * mint.pow((k - 1) / k, 1 / k)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        inverse = 1 / self.concentration
        square = mint.exp(ops.lgamma(1 + 2 * inverse)) - mint.exp(2 * ops.lgamma(1 + inverse))
        return self.scale * self.scale * square

    def entropy(self) -> Tensor:
        """Return the entropy."""
        inverse = 1 / self.concentration
        return float(np.euler_gamma) * (1 - inverse) + mint.log(self.scale * inverse) + 1


class Kumaraswamy(TransformedDistribution):
    """A distribution on (0, 1) like that of Beta, with a simple cumulative distribution."""

    _named = ("concentration1", "concentration0")

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = tensors(concentration1, concentration0)
        for name in ("concentration1", "concentration0"):
            self._require(name, getattr(self, name), positive, _POSITIVE)
        base = Uniform(ops.zeros_like(self.concentration0), ops.ones_like(self.concentration0), validate_args)
        transforms = [
            PowerTransform(1 / self.concentration0),
            AffineTransform(1.0, -1.0),
            PowerTransform(1 / self.concentration1),
        ]
        super().__init__(base, transforms, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return Kumaraswamy(mint.broadcast_to(self.concentration1, shape), mint.broadcast_to(self.concentration0, shape))

    def _moment(self, n: int) -> Tensor:
        first, b = 1 + n / self.concentration1, self.concentration0
        return b * mint.exp(ops.lgamma(first) + ops.lgamma(b) - ops.lgamma(first + b))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self._moment(1)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        mean = self._moment(1)
        return self._moment(2) - mean * mean

    def entropy(self) -> Tensor:
        """Return the entropy."""
        harmonic = ops.digamma(self.concentration0 + 1) + float(np.euler_gamma)
        first = 1 - 1 / self.concentration0 + (1 - 1 / self.concentration1) * harmonic
        return first - mint.log(self.concentration1) - mint.log(self.concentration0)


class InverseGamma(TransformedDistribution):
    """The inverse of a gamma number."""

    _named = ("concentration", "rate")

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(Gamma(concentration, rate, validate_args), PowerTransform(-1.0), validate_args)

    @property
    def concentration(self) -> Tensor:
        """The shape of the gamma number."""
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        """The rate of the gamma number."""
        return self.base_dist.rate

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return InverseGamma(mint.broadcast_to(self.concentration, shape), mint.broadcast_to(self.rate, shape))

    @property
    def mean(self) -> Tensor:
        """The mean, infinite for concentrations up to 1."""
        a = self.concentration
        return _where(a > 1, self.rate / (a - 1), float("inf"))

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """The variance, infinite for concentrations up to 2."""
        a = self.concentration
        return _where(a > 2, self.rate * self.rate / ((a - 1) * (a - 1) * (a - 2)), float("inf"))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        a = self.concentration
        return a + mint.log(self.rate) + ops.lgamma(a) - (1.0 + a) * ops.digamma(a)


class FisherSnedecor(DrawnOnHost):
    """The ratio of two variances that are estimated."""

    _named = ("df1", "df2")

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = tensors(df1, df2)
        super().__init__(self.df1.shape, (), validate_args)
        self._require("df1", self.df1, positive, _POSITIVE)
        self._require("df2", self.df2, positive, _POSITIVE)

    @property
    def mean(self) -> Tensor:
        """The mean, where it exists."""
        return _where(self.df2 > 2, self.df2 / (self.df2 - 2), float("nan"))

    @property
    def mode(self) -> Tensor:
        """The most likely value, where there is one."""
        return _where(self.df1 > 2, (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2), float("nan"))

    @property
    def variance(self) -> Tensor:
        """The variance, where it exists."""
        a, b = self.df1, self.df2
        found = 2 * b * b * (a + b - 2) / (a * (b - 2) * (b - 2) * (b - 4))
        return _where(b > 4, found, float("nan"))

    def _draw(self, sample_shape: Any) -> Tensor:
        above = Gamma(self.df1 * 0.5, self.df1, False)._draw(sample_shape)
        ratio = above / Gamma(self.df2 * 0.5, self.df2, False)._draw(sample_shape)
        return mint.clamp(ratio, min=float(np.finfo(numpy_type(ratio)).tiny))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = ops.lgamma(a + b) - ops.lgamma(a) - ops.lgamma(b)
        return constant + a * mint.log(ratio) + (a - 1) * mint.log(value) - (a + b) * mint.log1p(ratio * value)
