"""Distributions on intervals, sampled from uniform, normal or exponential numbers."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor, ops

from .. import _rng, mint
from ._base import Distribution, ExponentialFamily, numpy_type, positive, tensors
from .location_scale import Cauchy, Normal


class _Half(Distribution):
    """The magnitude of a number drawn symmetrically around 0."""

    _named = ("scale",)

    has_rsample = True
    _whole: type[Normal] | type[Cauchy]

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        self.base_dist = self._whole(0, scale, validate_args)
        self.scale = self.base_dist.scale
        super().__init__(self.scale.shape, (), validate_args)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        return mint.abs(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        inside = self.base_dist.log_prob(value) + math.log(2)
        return mint.where(value >= 0, inside, ops.full_like(inside, -float("inf")))

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function."""
        return 2 * self.base_dist.cdf(value) - 1

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The magnitude of a normal number around 0."""

    _whole = Normal

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.scale * self.scale * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The magnitude of a Cauchy number around 0."""

    _whole = Cauchy

    @property
    def mean(self) -> Tensor:
        """The mean: infinite."""
        return ops.full_like(self.scale, float("inf"))

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return ops.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        """The variance: infinite."""
        return ops.full_like(self.scale, float("inf"))


class Uniform(Distribution):
    """Equal density between two bounds."""

    _named = ("low", "high")

    has_rsample = True

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = tensors(low, high)
        super().__init__(self.low.shape, (), validate_args)
        self._require("low", self.high - self.low, positive, "low < high")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        return Uniform(mint.broadcast_to(self.low, shape), mint.broadcast_to(self.high, shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Tensor:
        """The variance."""
        width = self.high - self.low
        return width * width / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        drawn = _rng.uniform(self._extended_shape(sample_shape), dtype=numpy_type(self.low))
        return self.low + Tensor(drawn, self.low.dtype) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        inside = mint.logical_and(value >= self.low, value < self.high).astype(self.low.dtype)
        return mint.log(inside) - mint.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function."""
        return mint.clamp((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return mint.log(self.high - self.low)


class Exponential(ExponentialFamily):
    """The time to the next of events that come at a rate."""

    _named = ("rate",)

    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = tensors(rate)
        super().__init__(self.rate.shape, (), validate_args)
        self._require("rate", self.rate, positive, "GreaterThan(lower_bound=0.0)")

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        return Exponential(mint.broadcast_to(self.rate, tuple(batch_shape)))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return 1 / self.rate

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return 1 / self.rate

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return 1 / (self.rate * self.rate)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        return Tensor(_rng.exponential(self._extended_shape(sample_shape)), self.rate.dtype) / self.rate

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        return mint.log(self.rate) - self.rate * value

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        return 1 - mint.exp(-self.rate * value)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        return -mint.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 1.0 - mint.log(self.rate)
