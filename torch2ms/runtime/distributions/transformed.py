"""Distributions of functions of random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mindspore import Tensor, ops

from .. import _backend, mint
from ._base import Distribution, sum_last
from .location_scale import Normal

F = mint.nn.functional


class Transform:
    """An invertible function with the logarithm of its derivative."""

    event_dim = 0

    def __call__(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} defines __call__")

    def inverse(self, y: Tensor) -> Tensor:
        """Return where a value comes from."""
        raise NotImplementedError(f"{type(self).__name__}.inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        raise NotImplementedError(f"{type(self).__name__}.log_abs_det_jacobian")

    @property
    def inv(self) -> Transform:
        """The inverse function."""
        return _Inverse(self)


class _Inverse(Transform):
    def __init__(self, of: Transform) -> None:
        self.of = of

    def __call__(self, x: Tensor) -> Tensor:
        return self.of.inverse(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return where a value comes from."""
        return self.of(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        return -self.of.log_abs_det_jacobian(y, x)


class ExpTransform(Transform):
    """exp(x)"""

    def __call__(self, x: Tensor) -> Tensor:
        return mint.exp(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return log(y)."""
        return mint.log(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x."""
        return x


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))"""

    def __call__(self, x: Tensor) -> Tensor:
        return mint.sigmoid(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return the logarithm of the odds."""
        return mint.log(y) - mint.log1p(-y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(Transform):
    """tanh(x)"""

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._last: tuple[Tensor, Tensor] | None = None

    def __call__(self, x: Tensor) -> Tensor:
        y = mint.tanh(x)
        if self._cache_size:
            self._last = x, y
        return y

    def inverse(self, y: Tensor) -> Tensor:
        """Return atanh(y), or the x that gave just this y."""
        if self._last is not None and self._last[1] is y:
            return self._last[0]
        return 0.5 * (mint.log1p(y) - mint.log1p(-y))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AffineTransform(Transform):
    """loc + scale * x"""

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        self.loc, self.scale, self.event_dim = loc, scale, event_dim

    def __call__(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def inverse(self, y: Tensor) -> Tensor:
        """Return (y - loc) / scale."""
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log|scale|."""
        if isinstance(self.scale, Tensor):
            size = mint.broadcast_to(mint.log(mint.abs(self.scale)), tuple(x.shape))
        else:
            size = ops.full_like(x, math.log(abs(self.scale)))
        return sum_last(size, self.event_dim)


class PowerTransform(Transform):
    """x ** exponent, for x > 0"""

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        self.exponent = exponent

    def __call__(self, x: Tensor) -> Tensor:
        return mint.pow(x, self.exponent)

    def inverse(self, y: Tensor) -> Tensor:
        """Return y ** (1 / exponent)."""
        return mint.pow(y, 1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        return mint.log(mint.abs(self.exponent * y / x))


class SoftplusTransform(Transform):
    """log(1 + exp(x))"""

    def __call__(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return where a value comes from."""
        return mint.log(-mint.expm1(-y)) + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the derivative."""
        return -F.softplus(-x)


class AbsTransform(Transform):
    """|x|, whose inverse is taken to be positive"""

    def __call__(self, x: Tensor) -> Tensor:
        return mint.abs(x)

    def inverse(self, y: Tensor) -> Tensor:
        """Return y."""
        return y


class ComposeTransform(Transform):
    """Functions one after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        self.parts = list(parts)
        self.event_dim = max((part.event_dim for part in self.parts), default=0)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def inverse(self, y: Tensor) -> Tensor:
        """Return where a value comes from."""
        for part in reversed(self.parts):
            y = part.inverse(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the logarithms."""
        total = ops.zeros_like(x)
        for part in self.parts:
            y = part(x)
            total = total + part.log_abs_det_jacobian(x, y)
            x = y
        return total


class TransformedDistribution(Distribution):
    """The distribution of functions of a random number."""

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        self.base_dist: Any = base_distribution
        self.transforms: list[Transform] = [transforms] if isinstance(transforms, Transform) else list(transforms)
        super().__init__(base_distribution.batch_shape, base_distribution.event_shape, validate_args)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples can carry a gradient."""
        return self.base_dist.has_rsample

    def _apply(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values."""
        with _backend.grad_mode(False):
            return ops.stop_gradient(self._apply(self.base_dist.sample(sample_shape)))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values with a gradient."""
        return self._apply(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        dims = len(self._event_shape)
        total: Any = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inverse(y)
            total = total - sum_last(transform.log_abs_det_jacobian(x, y), dims - transform.event_dim)
            y = x
        return total + self.base_dist.log_prob(y)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function, for increasing functions."""
        for transform in reversed(self.transforms):
            value = transform.inverse(value)
        return self.base_dist.cdf(value)


class LogNormal(TransformedDistribution):
    """The exponential of a normal number."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        normal = Normal(loc, scale, validate_args)
        self.loc, self.scale = normal.loc, normal.scale
        super().__init__(normal, ExpTransform(), validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean."""
        return mint.exp(self.loc + self.scale * self.scale / 2)

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        return mint.exp(self.loc - self.scale * self.scale)

    @property
    def variance(self) -> Tensor:
        """The variance."""
        square = self.scale * self.scale
        return mint.expm1(square) * mint.exp(2 * self.loc + square)

    def entropy(self) -> Tensor:
        """Return the entropy."""
        return self.base_dist.entropy() + self.loc
