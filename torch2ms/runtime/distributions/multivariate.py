"""The normal distribution of vectors, and distributions whose batch counts as one event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor

from .. import _rng, mint
from . import constraints
from ._base import Distribution, numpy_type, sum_last
from ._matrices import cholesky, factor_of_inverse, inverse_of_factor, log_determinant, solve_lower


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, by covariance, precision or the lower factor of the covariance."""

    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if given[0].ndim < 2 or loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional and the matrix at least two-dimensional")
        size = loc.shape[-1]
        batch = np.broadcast_shapes(tuple(given[0].shape[:-2]), tuple(loc.shape[:-1]))
        super().__init__(batch, (size,), validate_args)
        self.loc = mint.broadcast_to(loc, (*batch, size))
        if scale_tril is not None:
            factor = scale_tril
        elif covariance_matrix is not None:
            factor = cholesky(covariance_matrix)
        else:
            factor = factor_of_inverse(precision_matrix)
        self._require("covariance_matrix", factor, lambda m: m == m, "PositiveDefinite()")
        self.scale_tril = mint.broadcast_to(factor, (*batch, size, size))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape, n = tuple(batch_shape), self._event_shape[0]
        factor = mint.broadcast_to(self.scale_tril, (*shape, n, n))
        return MultivariateNormal(mint.broadcast_to(self.loc, (*shape, n)), scale_tril=factor)

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return mint.matmul(self.scale_tril, mint.transpose(self.scale_tril, -2, -1))

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        inverse = inverse_of_factor(self.scale_tril)
        return mint.matmul(mint.transpose(inverse, -2, -1), inverse)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The most likely vector."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        return mint.sum(self.scale_tril * self.scale_tril, -1)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw vectors with a gradient."""
        drawn = Tensor(_rng.normal(self._extended_shape(sample_shape), dtype=numpy_type(self.loc)), self.loc.dtype)
        return self.loc + mint.sum(self.scale_tril * drawn.unsqueeze(-2), -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        whitened = solve_lower(self.scale_tril, value - self.loc)
        distance = mint.sum(whitened * whitened, -1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - log_determinant(self.scale_tril)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_determinant(self.scale_tril)


class Independent(Distribution):
    """A distribution whose last batch dimensions make up one event."""

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape)")
        split = len(batch) - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(batch[:split], batch[split:] + base_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape) + self._event_shape[: self.reinterpreted_batch_ndims]
        return Independent(self.base_dist.expand(shape), self.reinterpreted_batch_ndims)

    @property
    def support(self) -> Any:
        """The set of values."""
        dims = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, dims) if dims else self.base_dist.support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples can carry a gradient."""
        return self.base_dist.has_rsample

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        """The most likely event."""
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        """The variance."""
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw events."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw events with a gradient."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density or probability."""
        return sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)


class MixtureSameFamily(Distribution):
    """One of several distributions of a family, chosen by a Categorical."""

    def __init__(self, mixture_distribution: Any, component_distribution: Distribution, validate_args: Any = None):
        self.mixture_distribution = mixture_distribution
        self.component_distribution = component_distribution
        batch, event = component_distribution.batch_shape, component_distribution.event_shape
        super().__init__(batch[:-1], event, validate_args)

    def _pad(self, value: Tensor) -> Tensor:
        return value.unsqueeze(-1 - len(self._event_shape))

    def _weights(self) -> Tensor:
        probs = self.mixture_distribution.probs
        return probs.reshape(tuple(probs.shape) + (1,) * len(self._event_shape))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return mint.sum(self._weights() * self.component_distribution.mean, -1 - len(self._event_shape))

    @property
    def variance(self) -> Tensor:
        """The variance."""
        axis = -1 - len(self._event_shape)
        spread = self.component_distribution.mean - self._pad(self.mean)
        return mint.sum(self._weights() * (self.component_distribution.variance + spread * spread), axis)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw events."""
        chosen = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        index = chosen.reshape(tuple(chosen.shape) + (1,) * (len(self._event_shape) + 1))
        axis = -1 - len(self._event_shape)
        shape = list(drawn.shape)
        shape[axis] = 1
        return mint.gather(drawn, drawn.ndim + axis, mint.broadcast_to(index, tuple(shape))).squeeze(axis)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density or probability."""
        inside = self.component_distribution.log_prob(self._pad(value))
        return mint.logsumexp(inside + mint.nn.functional.log_softmax(self.mixture_distribution.logits, -1), -1)
