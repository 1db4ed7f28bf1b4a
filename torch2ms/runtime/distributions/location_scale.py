"""Distributions with a location and a scale, sampled from uniform or normal numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _rng, mint
from .._fills import cauchy_like
from ._base import Distribution, ExponentialFamily, numpy_type, positive, real, tensors

_LOG_2PI = math.log(2 * math.pi)
_SQRT_2 = math.sqrt(2.0)
_EULER = 0.57721566490153286060


class LocationScale(Distribution):
    """A distribution with a location and a scale."""

    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = tensors(loc, scale)
        super().__init__(self.loc.shape, (), validate_args)
        self._require("loc", self.loc, real, "Real()")
        self._require("scale", self.scale, positive, "GreaterThan(lower_bound=0.0)")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return type(self)(mint.broadcast_to(self.loc, shape), mint.broadcast_to(self.scale, shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self.loc

    def _uniform(self, sample_shape: Any, low: float = 0.0, high: float = 1.0) -> Tensor:
        drawn = _rng.uniform(self._extended_shape(sample_shape), low, high, dtype=numpy_type(self.loc))
        return Tensor(drawn, self.loc.dtype)


class Normal(LocationScale, ExponentialFamily):
    """The normal distribution; `scale` is its standard deviation."""

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.scale * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        drawn = _rng.normal(self._extended_shape(sample_shape), dtype=numpy_type(self.loc))
        return self.loc + Tensor(drawn, self.loc.dtype) * self.scale

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        distance = (value - self.loc) / self.scale
        return -0.5 * distance * distance - mint.log(self.scale) - 0.5 * _LOG_2PI

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        return 0.5 * (1 + mint.erf((value - self.loc) / (self.scale * _SQRT_2)))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        return self.loc + self.scale * mint.erfinv(2 * value - 1) * _SQRT_2

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 0.5 + 0.5 * _LOG_2PI + mint.log(self.scale)


class Laplace(LocationScale):
    """The two-sided exponential distribution."""

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return 2 * self.scale * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        u = self._uniform(sample_shape, float(np.finfo(numpy_type(self.loc)).eps) - 1, 1)
        return self.loc - self.scale * mint.sign(u) * mint.log1p(-mint.abs(u))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        return -mint.log(2 * self.scale) - mint.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        distance = value - self.loc
        return 0.5 - 0.5 * mint.sign(distance) * mint.expm1(-mint.abs(distance) / self.scale)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1 + mint.log(2 * self.scale)


class Cauchy(LocationScale):
    """The Cauchy distribution, which has no mean."""

    @property
    def mean(self) -> Tensor:
        """The mean: it does not exist."""
        return ops.full_like(self.loc, float("nan"))

    @property
    def variance(self) -> Tensor:
        """The variance: infinite."""
        return ops.full_like(self.loc, float("inf"))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        unit = cauchy_like(mint.zeros(self._extended_shape(sample_shape), dtype=self.loc.dtype))
        return self.loc + self.scale * unit

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        distance = (value - self.loc) / self.scale
        return -math.log(math.pi) - mint.log(self.scale) - mint.log1p(distance * distance)

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        return mint.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return math.log(4 * math.pi) + mint.log(self.scale)


class Gumbel(LocationScale):
    """The distribution of the largest of many values."""

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc + self.scale * _EULER

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return (math.pi**2 / 6) * self.scale * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        limits = np.finfo(numpy_type(self.loc))
        u = mint.clamp(self._uniform(sample_shape), float(limits.tiny), 1 - float(limits.eps))
        return self.loc - self.scale * mint.log(-mint.log(u))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        distance = (self.loc - value) / self.scale
        return distance - mint.exp(distance) - mint.log(self.scale)

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        return mint.exp(-mint.exp((self.loc - value) / self.scale))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return mint.log(self.scale) + (1 + _EULER)
