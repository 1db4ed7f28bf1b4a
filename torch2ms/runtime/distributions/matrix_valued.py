"""Distributions of matrices."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _backend, _rng, mint
from ._base import Distribution, ExponentialFamily, host, numpy_type, positive, tensors
from ._matrices import (
    cholesky,
    diagonal,
    factor_of_inverse,
    inverse_of_factor,
    log_determinant,
    on_diagonal,
)
from .gamma import Beta, Chi2, DrawnOnHost


def log_multivariate_gamma(value: Tensor, size: int) -> Tensor:
    """Return the logarithm of the gamma function of matrices of a size."""
    total: Any = size * (size - 1) / 4 * math.log(math.pi)
    for i in range(size):
        total = total + ops.lgamma(value - i / 2)
    return total


class LKJCholesky(Distribution):
    """Lower factors of correlation matrices, near to the identity at a high concentration."""

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = tensors(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)
        self._require("concentration", self.concentration, positive, "GreaterThan(lower_bound=0.0)")
        before = np.array([0, *range(dim - 1)])
        offset = Tensor(before, self.concentration.dtype)
        marginal = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1)
        self._beta = Beta(offset + 0.5, marginal - 0.5 * offset)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        return LKJCholesky(self.dim, mint.broadcast_to(self.concentration, tuple(batch_shape)))

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw factors, by rows on spheres."""
        with _backend.grad_mode(False):
            lengths = host(self._beta.sample(sample_shape))[..., None]
            normal = np.tril(_rng.normal(self._extended_shape(sample_shape), dtype=lengths.dtype), -1)
            norms = np.linalg.norm(normal, axis=-1, keepdims=True)
            rows = np.sqrt(lengths) * np.divide(normal, norms, out=np.zeros_like(normal), where=norms > 0)
            rest = np.maximum(1 - (rows * rows).sum(-1), np.finfo(rows.dtype).tiny)
            return Tensor(rows + np.sqrt(rest)[..., None] * np.eye(self.dim, dtype=rows.dtype), self.concentration.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density of factors."""
        below = self.dim - 1
        places = Tensor(np.arange(2, self.dim + 1), self.concentration.dtype)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - places
        density = mint.sum(order * mint.log(diagonal(value)[..., 1:]), -1)
        alpha = self.concentration + 0.5 * below
        constant = 0.5 * below * math.log(math.pi) + log_multivariate_gamma(alpha - 0.5, below)
        return density - (constant - ops.lgamma(alpha) * below)


class Wishart(DrawnOnHost, ExponentialFamily):
    """Sums of the squares of normal vectors, as matrices."""

    def __init__(
        self,
        df: Any,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        if given[0].ndim < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        size = given[0].shape[-1]
        freedom = df if isinstance(df, Tensor) else Tensor(df, given[0].dtype)
        batch = np.broadcast_shapes(tuple(given[0].shape[:-2]), tuple(freedom.shape))
        if (host(freedom) <= size - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {size - 1}.")
        if (host(freedom) < size).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, (size, size), validate_args)
        if scale_tril is not None:
            factor = scale_tril
        elif covariance_matrix is not None:
            factor = cholesky(covariance_matrix)
        else:
            factor = factor_of_inverse(precision_matrix)
        self._require("covariance_matrix", factor, lambda m: m == m, "PositiveDefinite()")
        self.df = mint.broadcast_to(freedom, batch)
        self.scale_tril = mint.broadcast_to(factor, (*batch, size, size))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = tuple(batch_shape)
        factor = mint.broadcast_to(self.scale_tril, shape + self._event_shape)
        return Wishart(mint.broadcast_to(self.df, shape), scale_tril=factor)

    @property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        return mint.matmul(self.scale_tril, mint.transpose(self.scale_tril, -2, -1))

    @property
    def precision_matrix(self) -> Tensor:
        """Its inverse."""
        inverse = inverse_of_factor(self.scale_tril)
        return mint.matmul(mint.transpose(inverse, -2, -1), inverse)

    def _freedom(self) -> Tensor:
        return self.df.reshape((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return self._freedom() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """The most likely matrix, where there is one."""
        factor = self._freedom() - self._event_shape[0] - 1
        factor = mint.where(factor <= 0, ops.full_like(factor, float("nan")), factor)
        return factor * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """The variance of each element."""
        covariance = self.covariance_matrix
        variances = diagonal(covariance)
        return self._freedom() * (covariance * covariance + variances.unsqueeze(-1) * variances.unsqueeze(-2))

    def _draw(self, sample_shape: Any) -> Tensor:
        """Draw matrices by Bartlett's decomposition."""
        size, kind = self._event_shape[0], numpy_type(self.scale_tril)
        roots = mint.sqrt(Chi2(self.df.unsqueeze(-1) - Tensor(np.arange(size), self.df.dtype))._draw(sample_shape))
        roots = mint.clamp(roots, min=float(np.finfo(kind).eps))
        normal = np.tril(_rng.normal(self._extended_shape(sample_shape), dtype=kind), -1)
        factor = mint.matmul(self.scale_tril, Tensor(normal) + on_diagonal(roots))
        return mint.matmul(factor, mint.transpose(factor, -2, -1))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        size = self._event_shape[0]
        half = size * math.log(2) / 2 + log_determinant(self.scale_tril)
        # the gradient of PyTorch's solver reaches the elements above the diagonal of the factor too
        inverse = inverse_of_factor(cholesky(self.covariance_matrix))
        whitened = mint.matmul(mint.matmul(inverse, value), mint.transpose(inverse, -2, -1))
        inner = mint.sum(diagonal(whitened), -1)
        inside = (self.df - size - 1) * log_determinant(cholesky(value))
        return -self.df * half - log_multivariate_gamma(self.df / 2, size) + inside - inner / 2

    def entropy(self) -> Tensor:
        """Return the entropy."""
        size = self._event_shape[0]
        half = size * math.log(2) / 2 + log_determinant(self.scale_tril)
        digammas: Any = 0.0
        for i in range(size):
            digammas = digammas + ops.digamma((self.df - i) / 2)
        first = (size + 1) * half + log_multivariate_gamma(self.df / 2, size)
        return first - (self.df - size - 1) / 2 * digammas + self.df * size / 2
