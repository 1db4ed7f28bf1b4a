"""The continuous relative of the Bernoulli distribution, and the distribution of what exceeds a limit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _rng, mint
from . import constraints
from ._base import Distribution, ExponentialFamily, host, numpy_type, positive, real, tensors
from .bernoulli import OfProbability, clamp_probs

F = mint.nn.functional


class ContinuousBernoulli(OfProbability, ExponentialFamily):
    """A number between 0 and 1 with the density of the Bernoulli distribution's probabilities."""

    has_rsample = True

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(probs, logits, validate_args)
        if self._probs is not None:
            self._probs = clamp_probs(self._probs)
        self._lims = lims

    @property
    def probs(self) -> Tensor:
        """The parameter, a little away from 0 and 1."""
        return clamp_probs(mint.sigmoid(self._logits)) if self._probs is None else self._probs

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        if self._probs is not None:
            return ContinuousBernoulli(probs=mint.broadcast_to(self._probs, shape), lims=self._lims)
        return ContinuousBernoulli(logits=mint.broadcast_to(self._logits, shape), lims=self._lims)

    def _stable(self) -> Tensor:
        """Where the formulas hold; near 1/2 a series takes their place."""
        return mint.logical_or(self.probs <= self._lims[0], self.probs > self._lims[1])

    def _cut(self) -> Tensor:
        return mint.where(self._stable(), self.probs, ops.full_like(self.probs, self._lims[0]))

    def _log_constant(self) -> Tensor:
        cut = self._cut()
        low = mint.where(cut <= 0.5, cut, ops.zeros_like(cut))
        high = mint.where(cut >= 0.5, cut, ops.ones_like(cut))
        odds = mint.log(mint.abs(mint.log1p(-cut) - mint.log(cut)))
        formula = odds - mint.where(cut <= 0.5, mint.log1p(-2.0 * low), mint.log(2.0 * high - 1.0))
        x = (self.probs - 0.5) * (self.probs - 0.5)
        return mint.where(self._stable(), formula, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        cut, x = self._cut(), self.probs - 0.5
        formula = cut / (2.0 * cut - 1.0) + 1.0 / (mint.log1p(-cut) - mint.log(cut))
        return mint.where(self._stable(), formula, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x * x) * x)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        cut, x = self._cut(), (self.probs - 0.5) * (self.probs - 0.5)
        away, odds = 1.0 - 2.0 * cut, mint.log1p(-cut) - mint.log(cut)
        formula = cut * (cut - 1.0) / (away * away) + 1.0 / (odds * odds)
        return mint.where(self._stable(), formula, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        drawn = _rng.uniform(self._extended_shape(sample_shape), dtype=numpy_type(self.probs))
        return self.icdf(Tensor(drawn, self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        logits, value = tensors(self.logits, value)
        return logits * value - F.softplus(logits) + self._log_constant()

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function."""
        cut = self._cut()
        formula = (mint.pow(cut, value) * mint.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        return mint.clamp(mint.where(self._stable(), formula, value), 0.0, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        cut = self._cut()
        formula = (mint.log1p(-cut + value * (2.0 * cut - 1.0)) - mint.log1p(-cut)) / (mint.log(cut) - mint.log1p(-cut))
        return mint.where(self._stable(), formula, value)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        zero, one = mint.log1p(-self.probs), mint.log(self.probs)
        return self.mean * (zero - one) - self._log_constant() - zero


class GeneralizedPareto(Distribution):
    """How far values above a limit exceed it."""

    has_rsample = True
    _named = ("loc", "scale", "concentration")

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = tensors(loc, scale, concentration)
        super().__init__(self.loc.shape, (), validate_args)
        self._require("loc", self.loc, real, "Real()")
        self._require("scale", self.scale, positive, "GreaterThan(lower_bound=0.0)")
        self._require("concentration", self.concentration, real, "Real()")
        self._exponential = Tensor(np.isclose(host(self.concentration), 0.0))
        self._safe = mint.where(self._exponential, ops.ones_like(self.concentration), self.concentration)

    @property
    def support(self) -> Any:
        """The set of values."""
        bound = self.loc - self.scale / self._safe
        upper = mint.where(self.concentration < 0, bound, ops.full_like(bound, float("inf")))
        return constraints.interval(self.loc, upper)

    @property
    def mean(self) -> Tensor:
        """The mean, where it exists."""
        exists = self.concentration < 1
        safe = mint.where(exists, self.concentration, ops.full_like(self.concentration, 0.5))
        return mint.where(exists, self.loc + self.scale / (1 - safe), ops.full_like(safe, float("nan")))

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance, where it exists."""
        exists = self.concentration < 0.5
        safe = mint.where(exists, self.concentration, ops.full_like(self.concentration, 0.25))
        found = self.scale * self.scale / ((1 - safe) * (1 - safe) * (1 - 2 * safe))
        return mint.where(exists, found, ops.full_like(safe, float("nan")))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        drawn = _rng.uniform(self._extended_shape(sample_shape), dtype=numpy_type(self.loc))
        return self.icdf(Tensor(drawn, self.loc.dtype))

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density."""
        z = (value - self.loc) / self.scale
        power = 1 / self._safe + ops.ones_like(z)
        heavy = mint.where(power == 0, power, power * mint.log1p(self._safe * z))
        return -mint.log(self.scale) - mint.where(self._exponential, z, heavy)

    def log_survival_function(self, value: Any) -> Tensor:
        """Return the logarithm of the probability to exceed a value."""
        z = (value - self.loc) / self.scale
        return mint.where(self._exponential, -z, -mint.log1p(self._safe * z) / self._safe)

    def log_cdf(self, value: Any) -> Tensor:
        """Return the logarithm of the cumulative distribution function."""
        return mint.log1p(-mint.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function."""
        return mint.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        left = mint.log1p(-value)
        heavy = self.loc + self.scale / self._safe * mint.expm1(-self._safe * left)
        return mint.where(self._exponential, self.loc - self.scale * left, heavy)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return mint.log(self.scale) + self.concentration + 1
