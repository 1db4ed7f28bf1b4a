"""Distributions of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _rng, mint
from ._base import Distribution, ExponentialFamily, host, tensors
from .bernoulli import Bernoulli
from .categorical import OfClasses
from .gamma import Gamma

F = mint.nn.functional


class Poisson(ExponentialFamily):
    """How many of events that come at a rate come in one unit of time."""

    _named = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = tensors(rate)
        super().__init__(self.rate.shape, (), validate_args)
        self._require("rate", self.rate, lambda r: r >= 0, "GreaterThanEq(lower_bound=0.0)")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.rate

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.rate

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw numbers of events."""
        rates = np.broadcast_to(host(self.rate), self._extended_shape(sample_shape))
        source = np.random.RandomState(int(_rng.integers(0, 2**32, ())))
        return Tensor(source.poisson(rates), self.rate.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        rate, value = tensors(self.rate, value)
        return mint.xlogy(value, rate) - rate - ops.lgamma(value + 1)


class _Trials(Distribution):
    """Base of distributions over repeated trials that succeed or fail."""

    def __init__(self, total_count: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self._bernoulli = Bernoulli(probs, logits, validate_args)
        given = self._bernoulli.logits if probs is None else self._bernoulli.probs
        self.total_count, _ = tensors(total_count, given)
        super().__init__(self.total_count.shape, (), validate_args)

    @property
    def probs(self) -> Tensor:
        """The probability of one success."""
        return self._bernoulli.probs

    @property
    def logits(self) -> Tensor:
        """The logarithm of its odds."""
        return self._bernoulli.logits


class Binomial(_Trials):
    """How often one succeeds in a number of trials."""

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw numbers of successes."""
        shape = self._extended_shape(sample_shape)
        source = np.random.RandomState(int(_rng.integers(0, 2**32, ())))
        counts = np.broadcast_to(host(self.total_count), shape).astype(np.int64)
        chances = np.broadcast_to(host(self.probs), shape).astype(np.float64)
        return Tensor(source.binomial(counts, chances), self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        n, value = tensors(self.total_count, value)
        choose = ops.lgamma(n + 1) - ops.lgamma(value + 1) - ops.lgamma(n - value + 1)
        return choose + value * self.logits - n * F.softplus(self.logits)


class NegativeBinomial(_Trials):
    """How often one succeeds before a number of failures."""

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(total_count, probs, logits, validate_args)
        self._require("total_count", self.total_count, lambda n: n >= 0, "GreaterThanEq(lower_bound=0)")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.total_count * mint.exp(self.logits)

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return mint.clamp(mint.floor((self.total_count - 1) * mint.exp(self.logits)), min=0)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.mean / mint.sigmoid(-self.logits)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw numbers of successes."""
        return Poisson(Gamma(self.total_count, mint.exp(-self.logits)).sample(sample_shape)).sample()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        n, value, logits = tensors(self.total_count, value, self.logits)
        ways = ops.lgamma(n + value) - ops.lgamma(1 + value) - ops.lgamma(n)
        ways = mint.where(n + value == 0, ops.zeros_like(ways), ways)
        return ways + n * F.logsigmoid(-logits) + value * F.logsigmoid(logits)


class Multinomial(OfClasses):
    """How often each of several classes is drawn in a number of trials."""

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw counts."""
        shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        classes = host(self._categorical.sample((self.total_count, *shape)))
        counts = np.eye(self._event_shape[0])[classes].sum(0)
        return Tensor(counts, self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        ways = ops.lgamma(mint.sum(value, -1) + 1) - mint.sum(ops.lgamma(value + 1), -1)
        return ways + mint.sum(mint.where(value == 0, ops.zeros_like(value), value * self.logits), -1)
