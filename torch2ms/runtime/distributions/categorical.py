"""Distributions over classes."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, ops

from .. import _backend, _rng, mint
from ._base import Distribution, batch_size, host, numpy_type, real
from .bernoulli import clamp_probs


class Categorical(Distribution):
    """One of several classes, by probabilities or by their logarithms, along the last dimension."""

    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        given = probs if probs is not None else logits
        if given.ndim < 1:
            raise ValueError("`probs` or `logits` parameter must be at least one-dimensional.")
        super().__init__(given.shape[:-1], (), validate_args)
        self._num_events = given.shape[-1]
        self._probs = self._logits = None
        if probs is not None:
            self._require("probs", probs, lambda p: (p >= 0) & (p == p), "Simplex()")
            self._probs = probs / mint.sum(probs, -1, True)
        else:
            self._require("logits", logits, real, "IndependentConstraint(Real(), 1)")
            self._logits = logits - mint.logsumexp(logits, -1, True)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return mint.softmax(self._logits, -1) if self._probs is None else self._probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._logits if self._logits is not None else mint.log(clamp_probs(self._probs))

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The shape of the probabilities."""
        return (*self._batch_shape, self._num_events)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        return type(self)(logits=mint.broadcast_to(self.logits, (*batch_shape, self._num_events)))

    @property
    def mean(self) -> Tensor:
        """The mean: classes have none."""
        return ops.full(self._batch_shape, float("nan"), dtype=self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        """The variance: classes have none."""
        return self.mean

    @property
    def mode(self) -> Tensor:
        """The most likely class."""
        return mint.argmax(self.probs, -1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw classes, int64."""
        with _backend.grad_mode(False):
            rows = host(self.probs).reshape(-1, self._num_events)
            drawn = _rng.multinomial(rows, batch_size(sample_shape), True)
            return Tensor(np.ascontiguousarray(drawn.T).reshape(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability of classes."""
        index = value.astype(mindspore.int64)
        shape = np.broadcast_shapes(tuple(index.shape), self._batch_shape)
        logits = mint.broadcast_to(self.logits, (*shape, self._num_events))
        return mint.gather(logits, -1, mint.broadcast_to(index, shape).unsqueeze(-1)).squeeze(-1)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        smallest = float(np.finfo(numpy_type(self.probs)).min)
        return -mint.sum(mint.clamp(self.logits, min=smallest) * self.probs, -1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all classes."""
        values = Tensor(np.arange(self._num_events)).reshape((-1,) + (1,) * len(self._batch_shape))
        return mint.broadcast_to(values, (self._num_events, *self._batch_shape)) if expand else values


class OfClasses(Distribution):
    """Base of distributions over vectors with an element for each class."""

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits, validate_args)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of the probabilities."""
        return self._categorical.logits


class OneHotCategorical(OfClasses):
    """One of several classes, as a vector with a single 1."""

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw vectors."""
        classes = host(self._categorical.sample(sample_shape))
        return Tensor(np.eye(self._event_shape[0])[classes], self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the probability."""
        return self._categorical.log_prob(mint.argmax(value, -1))

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One of several classes, with the gradient of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw vectors whose gradient is that of the probabilities."""
        return self.sample(sample_shape) + (self.probs - ops.stop_gradient(self.probs))
