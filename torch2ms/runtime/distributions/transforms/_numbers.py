"""Functions of each number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from ... import mint
from .. import constraints
from .._base import host, numpy_type, sum_last
from ._base import Shape, Transform

F = mint.nn.functional


class _OfNumbers(Transform):
    """An increasing function of each number, without parameters."""

    bijective = True
    domain: Any = constraints.real
    codomain: Any = constraints.real
    sign = +1

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None


class ExpTransform(_OfNumbers):
    """exp(x)"""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return mint.exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return mint.log(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x."""
        return x


def inside(value: Tensor) -> Tensor:
    """Keep probabilities away from 0 and 1, as PyTorch does."""
    limits = np.finfo(numpy_type(value))
    return mint.clamp(value, float(limits.tiny), 1.0 - float(limits.eps))


class SigmoidTransform(_OfNumbers):
    """1 / (1 + exp(-x))"""

    codomain = constraints.unit_interval

    def _call(self, x: Tensor) -> Tensor:
        return inside(mint.sigmoid(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = inside(y)
        return mint.log(y) - mint.log1p(-y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(_OfNumbers):
    """tanh(x)"""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x: Tensor) -> Tensor:
        return mint.tanh(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return 0.5 * (mint.log1p(y) - mint.log1p(-y))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class SoftplusTransform(_OfNumbers):
    """log(1 + exp(x))"""

    codomain = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return mint.log(-mint.expm1(-y)) + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return -F.softplus(-x)


class AbsTransform(Transform):
    """|x|, whose inverse is taken to be positive"""

    domain = constraints.real
    codomain = constraints.positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsTransform)

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return mint.abs(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class PowerTransform(Transform):
    """x ** exponent, for x > 0"""

    bijective = True
    domain = constraints.positive
    codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        return self if self._cache_size == cache_size else PowerTransform(self.exponent, cache_size)

    @property
    def sign(self) -> Any:
        """The sign of the exponent."""
        return _sign(self.exponent)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and _same(self.exponent, other.exponent)

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return mint.pow(x, self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return mint.pow(y, 1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        return mint.log(mint.abs(self.exponent * y / x))

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return np.broadcast_shapes(tuple(shape), np.shape(self.exponent))

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """loc + scale * x"""

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        """How many dimensions make up one element."""
        return self._event_dim

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return self.domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        if self._cache_size == cache_size:
            return self
        return AffineTransform(self.loc, self.scale, self._event_dim, cache_size)

    @property
    def sign(self) -> Any:
        """The sign of the scale."""
        return _sign(self.scale)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)
        )

    __hash__ = None

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log|scale|."""
        shape = tuple(x.shape)
        if isinstance(self.scale, Tensor):
            size = mint.log(mint.abs(self.scale))
            if self._event_dim:
                size = sum_last(mint.broadcast_to(size, np.broadcast_shapes(size.shape, shape[-self._event_dim :])), self._event_dim)
        else:
            size = ops.full_like(x, math.log(abs(self.scale)))
            size = sum_last(size, self._event_dim)
        return mint.broadcast_to(size, shape[: len(shape) - self._event_dim])

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return np.broadcast_shapes(tuple(shape), np.shape(self.loc), np.shape(self.scale))

    inverse_shape = forward_shape


def _sign(value: Any) -> Any:
    return mint.sign(value) if isinstance(value, Tensor) else int(value > 0) - int(value < 0)


def _same(one: Any, other: Any) -> bool:
    return bool(np.all(host(one) == host(other)))


class CumulativeDistributionTransform(Transform):
    """The probability of a distribution up to a value."""

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        return self if self._cache_size == cache_size else CumulativeDistributionTransform(self.distribution, cache_size)
