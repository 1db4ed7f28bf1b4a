"""What all distributions share: shapes, sampling without gradient, validation of parameters."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mindspore import Tensor, ops

from .. import _backend, mint
from .._default_dtype import get_default_dtype
from ..mint._cpu.draws import drawn_in
from ..mint._trace import compiling
from . import constraints
from ._tables import ARGUMENTS, SUPPORTS

Shape = tuple[int, ...]


def host(value: Any) -> np.ndarray:
    """Return numbers as a numpy array."""
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def tensors(*values: Any) -> tuple[Tensor, ...]:
    """Return numbers and tensors as tensors of one shape and floating type."""
    given = [value for value in values if isinstance(value, Tensor)]
    floats = [value.dtype for value in given if value.is_floating_point()]
    dtype = floats[0] if floats else get_default_dtype()
    whole = [value if isinstance(value, Tensor) else Tensor(value, dtype) for value in values]
    shape = np.broadcast_shapes(*(tuple(value.shape) for value in whole))
    return tuple(value if tuple(value.shape) == shape else mint.broadcast_to(value, shape) for value in whole)


def positive(value: np.ndarray) -> Any:
    """Tell which numbers are greater than 0."""
    return value > 0


def real(value: np.ndarray) -> Any:
    """Tell which numbers are numbers."""
    return value == value


def sum_last(value: Tensor, dims: int) -> Tensor:
    """Return the sum over the last dimensions."""
    return mint.sum(value, tuple(range(-dims, 0))) if dims else value


def numpy_type(tensor: Tensor) -> Any:
    """Return numpy's type for draws of a tensor's type."""
    return drawn_in(tensor.dtype)


class Distribution:
    """A distribution over events of a shape, for a batch of parameters.

    https://pytorch.org/docs/stable/distributions.html
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = True
    # the parameters that have the shape of the batch, as the constructor names them
    _named: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.rpartition(".")[0] != __package__:
            return
        if cls.__name__ in ARGUMENTS:
            cls.arg_constraints = ARGUMENTS[cls.__name__]  # type: ignore[method-assign]
        if cls.__name__ in SUPPORTS:
            cls.support = SUPPORTS[cls.__name__]  # type: ignore[method-assign]
        if "log_prob" in vars(cls):
            cls.log_prob = _validated(cls.log_prob)  # type: ignore[method-assign]

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args and not type(self).__module__.startswith(str(__package__)):
            self._check_arguments()

    def _check_arguments(self) -> None:
        """Check the parameters of a class of the user's own, as its `arg_constraints` ask."""
        try:
            asked: Any = self.arg_constraints
        except NotImplementedError:
            return
        for name, constraint in asked.items():
            if constraints.is_dependent(constraint) or (name not in vars(self) and isinstance(getattr(type(self), name, None), property)):
                continue
            value = getattr(self, name)
            if not host(constraint.check(value)).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError for values that the distribution does not have, or of another shape."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, expected = tuple(value.shape), self._batch_shape + self._event_shape
        dims = len(self._event_shape)
        if dims and shape[len(shape) - dims :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}."
            )
        for i, j in zip(reversed(shape), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support: Any = self.support
        except NotImplementedError:
            return
        if not host(support.check(value)).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {shape}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Choose whether parameters are checked."""
        Distribution._validate_args = value

    def _require(self, name: str, value: Any, holds: Callable[[np.ndarray], Any], what: str) -> None:
        """Raise ValueError for parameters that the distribution does not have."""
        if self._validate_args and not np.all(holds(host(value))):
            raise ValueError(
                f"Expected parameter {name} of distribution {type(self).__name__} to satisfy the constraint {what}, "
                f"but found invalid values:\n{value}"
            )

    @property
    def batch_shape(self) -> Shape:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """The shape of one event."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Any = ()) -> Shape:
        shape = (sample_shape,) if isinstance(sample_shape, int) else tuple(sample_shape)
        return shape + self._batch_shape + self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """Return the distribution for a larger batch."""
        if not self._named:
            raise NotImplementedError(f"{type(self).__name__}.expand")
        shape = tuple(batch_shape)
        return type(self)(**{name: mint.broadcast_to(getattr(self, name), shape) for name in self._named})

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The sets of the parameters."""
        raise NotImplementedError(f"{type(self).__name__}.arg_constraints")

    @property
    def support(self) -> Any:
        """The set of values."""
        raise NotImplementedError(f"{type(self).__name__}.support")

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError(f"{type(self).__name__}.mean")

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{type(self).__name__}.mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError(f"{type(self).__name__}.variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return mint.sqrt(self.variance)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values that carry no gradient."""
        with _backend.grad_mode(False):
            return ops.stop_gradient(self.rsample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw values whose gradient with respect to the parameters is defined."""
        raise NotImplementedError(f"{type(self).__name__} has no sampling with a gradient (rsample)")

    def sample_n(self, n: int) -> Tensor:
        """Draw n values."""
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density or probability."""
        raise NotImplementedError(f"{type(self).__name__}.log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function."""
        raise NotImplementedError(f"{type(self).__name__}.cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of the cumulative distribution function."""
        raise NotImplementedError(f"{type(self).__name__}.icdf")

    def entropy(self) -> Tensor:
        """Return the entropy."""
        raise NotImplementedError(f"{type(self).__name__}.entropy")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution."""
        raise NotImplementedError(f"{type(self).__name__}.enumerate_support")

    def perplexity(self) -> Tensor:
        """Return exp(entropy)."""
        return mint.exp(self.entropy())

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        inside = ", ".join(
            f"{name}: {value if isinstance(value, Tensor) and value.size == 1 else getattr(value, 'shape', value)}"
            for name, value in shown.items()
        )
        return f"{type(self).__name__}({inside})"


class ExponentialFamily(Distribution):
    """Base of the distributions whose density is the exponential of a product of parameters and statistics."""


def _validated(log_prob: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(log_prob)
    def checked(self: Any, value: Any) -> Tensor:
        if self._validate_args and not compiling():
            self._validate_sample(value)
        return log_prob(self, value)

    return checked


def batch_size(sample_shape: Any) -> int:
    """Return how many draws a shape means."""
    return sample_shape if isinstance(sample_shape, int) else math.prod(sample_shape)
