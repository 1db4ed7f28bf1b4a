"""Distributions of one probability."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _backend, _rng, mint
from ._base import Distribution, ExponentialFamily, host, numpy_type, tensors

F = mint.nn.functional


def clamp_probs(probs: Tensor) -> Tensor:
    """Return probabilities a little away from 0 and 1, so that their logarithms are finite."""
    eps = float(np.finfo(numpy_type(probs)).eps)
    return mint.clamp(probs, eps, 1 - eps)


def _unit(value: np.ndarray) -> Any:
    return (value >= 0) & (value <= 1)


class OfProbability(Distribution):
    """A distribution of one probability, given as `probs` or as `logits`, the log of the odds."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._probs = None if probs is None else tensors(probs)[0]
        self._logits = None if logits is None else tensors(logits)[0]
        super().__init__(tensors(logits if probs is None else probs)[0].shape, (), validate_args)
        if self._probs is not None:
            self._require("probs", self._probs, _unit, "Interval(lower_bound=0.0, upper_bound=1.0)")

    @property
    def probs(self) -> Tensor:
        """The probability."""
        return mint.sigmoid(self._logits) if self._probs is None else self._probs

    @property
    def logits(self) -> Tensor:
        """The logarithm of the odds."""
        if self._logits is not None:
            return self._logits
        clamped = clamp_probs(self._probs)
        return mint.log(clamped) - mint.log1p(-clamped)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        if self._probs is not None:
            return type(self)(probs=mint.broadcast_to(self._probs, shape))
        return type(self)(logits=mint.broadcast_to(self._logits, shape))

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the probability."""
        return self._batch_shape


class Bernoulli(OfProbability, ExponentialFamily):
    """1 with a probability, else 0."""

    has_enumerate_support = True

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        """The most likely value; not a number where both are equally likely."""
        mode = (self.probs >= 0.5).astype(self.probs.dtype)
        return mint.where(self.probs == 0.5, ops.full_like(mode, float("nan")), mode)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw 0 and 1."""
        with _backend.grad_mode(False):
            shape = self._extended_shape(sample_shape)
            probs = np.broadcast_to(host(self.probs), shape)
            return Tensor(_rng.bernoulli_mask(probs, shape), self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        logits, value = tensors(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value.astype(logits.dtype), reduction="none")

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return 0 and 1."""
        values = Tensor(np.arange(2), self.probs.dtype).reshape((2,) + (1,) * len(self._batch_shape))
        return mint.broadcast_to(values, (2, *self._batch_shape)) if expand else values


class Geometric(OfProbability):
    """How often one fails before the first success."""

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return 1 / self.probs - 1

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return (1 / self.probs - 1) / self.probs

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw numbers of failures."""
        with _backend.grad_mode(False):
            kind = numpy_type(self.probs)
            u = np.maximum(_rng.uniform(self._extended_shape(sample_shape), dtype=kind), np.finfo(kind).tiny)
            return Tensor(np.floor(np.log(u) / np.log1p(-host(self.probs))), self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        probs, value = tensors(self.probs, value)
        # a success that is certain leaves no failures
        safe = mint.where(mint.logical_and(probs == 1, value == 0), ops.zeros_like(probs), probs)
        return value * mint.log1p(-safe) + mint.log(probs)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
