"""Distributions of functions of random numbers."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor, ops

from .. import _backend, mint
from . import constraints
from ._base import Distribution, sum_last
from .location_scale import Normal
from .multivariate import Independent
from .transforms import ComposeTransform, ExpTransform, StickBreakingTransform, Transform


class TransformedDistribution(Distribution):
    """The distribution of functions of a random number."""

    def __init__(self, base_distribution: Distribution, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms: list[Transform] = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        base: Any = base_distribution
        shape = base.batch_shape + base.event_shape
        whole = ComposeTransform(self.transforms)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {shape}."
            )
        after = whole.forward_shape(shape)
        needed = whole.inverse_shape(after)
        if needed != shape:
            base = base.expand(needed[: len(needed) - len(base.event_shape)])
        if whole.domain.event_dim > len(base.event_shape):
            base = Independent(base, whole.domain.event_dim - len(base.event_shape))
        self.base_dist: Any = base
        change = whole.codomain.event_dim - whole.domain.event_dim
        cut = len(after) - max(whole.codomain.event_dim, len(base.event_shape) + change)
        super().__init__(after[:cut], after[cut:], validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        if type(self) is not TransformedDistribution:
            return super().expand(batch_shape)
        shape = ComposeTransform(self.transforms).inverse_shape(tuple(batch_shape) + self._event_shape)
        batch = shape[: len(shape) - len(self.base_dist.event_shape)]
        return TransformedDistribution(self.base_dist.expand(batch), self.transforms)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether samples can carry a gradient."""
        return self.base_dist.has_rsample

    @property
    def support(self) -> Any:
        """The set of values."""
        codomain = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        missing = len(self._event_shape) - codomain.event_dim
        return constraints.independent(codomain, missing) if missing > 0 else codomain

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
            x = transform._inv_call(y)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            total = total - sum_last(transform.log_abs_det_jacobian(x, y), dims - transform.domain.event_dim)
            y = x
        return total + sum_last(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _turned(self, probability: Tensor) -> Tensor:
        """Count from above where the functions decrease."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return probability
        return sign * (probability - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function."""
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        return self._apply(self.base_dist.icdf(self._turned(value)))


class LogisticNormal(TransformedDistribution):
    """Probabilities whose logits, as fractions of what is left, are normal."""

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        normal: Any = Normal(loc, scale, validate_args)
        if not normal.batch_shape:
            normal = normal.expand((1,))
        super().__init__(normal, StickBreakingTransform(), validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the normal numbers."""
        return self.base_dist.base_dist.scale

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        shape = (*batch_shape, self._event_shape[0] - 1)
        return LogisticNormal(mint.broadcast_to(self.loc, shape), mint.broadcast_to(self.scale, shape))


class LogNormal(TransformedDistribution):
    """The exponential of a normal number."""

    _named = ("loc", "scale")

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
