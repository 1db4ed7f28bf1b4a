"""The normal distribution of vectors whose covariance is a diagonal and a matrix of low rank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor

from .. import _rng, mint
from ._base import Distribution, numpy_type
from ._matrices import cholesky, inverse_of_factor, log_determinant, on_diagonal, solve_lower


class LowRankMultivariateNormal(Distribution):
    """The normal distribution with the covariance `cov_factor @ cov_factor.T + diag(cov_diag)`."""

    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if cov_factor.ndim < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        size, rank = loc.shape[-1], cov_factor.shape[-1]
        if cov_factor.shape[-2] != size:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {size} x m")
        if cov_diag.shape[-1] != size:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {(size,)}")
        batch = np.broadcast_shapes(tuple(loc.shape[:-1]), tuple(cov_factor.shape[:-2]), tuple(cov_diag.shape[:-1]))
        super().__init__(batch, (size,), validate_args)
        self._require("cov_diag", cov_diag, lambda d: d > 0, "IndependentConstraint(GreaterThan(lower_bound=0.0), 1)")
        self.loc = mint.broadcast_to(loc, (*batch, size))
        self.cov_factor = mint.broadcast_to(cov_factor, (*batch, size, rank))
        self.cov_diag = mint.broadcast_to(cov_diag, (*batch, size))
        self._weighted = mint.transpose(self.cov_factor / self.cov_diag.unsqueeze(-1), -2, -1)
        inside = mint.matmul(self._weighted, self.cov_factor)
        self._capacitance = cholesky(inside + mint.eye(rank, dtype=inside.dtype))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape, size = tuple(batch_shape), self._event_shape[0]
        factor = mint.broadcast_to(self.cov_factor, (*shape, size, self.cov_factor.shape[-1]))
        parameters = (mint.broadcast_to(value, (*shape, size)) for value in (self.loc, self.cov_diag))
        loc, cov_diag = parameters
        return LowRankMultivariateNormal(loc, factor, cov_diag)

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
        return mint.sum(self.cov_factor * self.cov_factor, -1) + self.cov_diag

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        product = mint.matmul(self.cov_factor, mint.transpose(self.cov_factor, -2, -1))
        return product + on_diagonal(self.cov_diag)

    @property
    def scale_tril(self) -> Tensor:
        """The lower factor of the covariance."""
        return cholesky(self.covariance_matrix)

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        inner = mint.matmul(inverse_of_factor(self._capacitance), self._weighted)
        return on_diagonal(1 / self.cov_diag) - mint.matmul(mint.transpose(inner, -2, -1), inner)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw vectors with a gradient."""
        shape = self._extended_shape(sample_shape)
        kind, dtype = numpy_type(self.loc), self.loc.dtype
        common = Tensor(_rng.normal((*shape[:-1], self.cov_factor.shape[-1]), dtype=kind), dtype)
        own = Tensor(_rng.normal(shape, dtype=kind), dtype)
        return self.loc + mint.sum(self.cov_factor * common.unsqueeze(-2), -1) + mint.sqrt(self.cov_diag) * own

    def _log_determinant(self) -> Tensor:
        return 2 * log_determinant(self._capacitance) + mint.sum(mint.log(self.cov_diag), -1)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        away = value - self.loc
        inner = solve_lower(self._capacitance, mint.sum(self._weighted * away.unsqueeze(-2), -1))
        distance = mint.sum(away * away / self.cov_diag, -1) - mint.sum(inner * inner, -1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_determinant() + distance)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_determinant())
