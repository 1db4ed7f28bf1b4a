"""Sets of numbers, and of vectors with a limited sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor


def host(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


class Constraint:
    """A set of values; the last `event_dim` dimensions of a value make up one element."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Any) -> Tensor:
        """Return which elements of `value` belong to the set, as bool."""
        return Tensor(np.asarray(self.holds(host(value)), np.bool_))

    def holds(self, value: np.ndarray) -> Any:
        """Tell which elements of an array belong to the set."""
        raise NotImplementedError(f"{type(self).__name__} defines check")

    def __repr__(self) -> str:
        return type(self).__name__.lstrip("_") + "()"


def all_last(found: Any, dims: int) -> Any:
    return found.all(axis=tuple(range(-dims, 0))) if dims else found


class _Boolean(Constraint):
    is_discrete = True

    def holds(self, value: np.ndarray) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def holds(self, value: np.ndarray) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Real(Constraint):
    def holds(self, value: np.ndarray) -> Any:
        return value == value


class _Bounded(Constraint):
    """Numbers between bounds, which may be tensors."""

    lower_bound: Any
    upper_bound: Any
    _bounds: tuple[str, ...] = ()

    def __init__(self, *bounds: Any, **named: Any) -> None:
        given = {**dict(zip(self._bounds, bounds)), **named}
        if len(bounds) > len(self._bounds) or set(given) != set(self._bounds):
            raise TypeError(f"{type(self).__name__.lstrip('_')} takes {', '.join(self._bounds)}")
        for name, bound in given.items():
            setattr(self, name, bound)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)
        return f"{type(self).__name__.lstrip('_')}({shown})"


class _GreaterThan(_Bounded):
    _bounds = ("lower_bound",)

    def holds(self, value: np.ndarray) -> Any:
        return host(self.lower_bound) < value


class _GreaterThanEq(_Bounded):
    _bounds = ("lower_bound",)

    def holds(self, value: np.ndarray) -> Any:
        return host(self.lower_bound) <= value


class _LessThan(_Bounded):
    _bounds = ("upper_bound",)

    def holds(self, value: np.ndarray) -> Any:
        return value < host(self.upper_bound)


class _Interval(_Bounded):
    _bounds = ("lower_bound", "upper_bound")

    def holds(self, value: np.ndarray) -> Any:
        return (host(self.lower_bound) <= value) & (value <= host(self.upper_bound))


class _HalfOpenInterval(_Bounded):
    _bounds = ("lower_bound", "upper_bound")

    def holds(self, value: np.ndarray) -> Any:
        return (host(self.lower_bound) <= value) & (value < host(self.upper_bound))


class _IntegerInterval(_Interval):
    is_discrete = True

    def holds(self, value: np.ndarray) -> Any:
        return (value % 1 == 0) & super().holds(value)


class _IntegerGreaterThan(_GreaterThanEq):
    is_discrete = True

    def holds(self, value: np.ndarray) -> Any:
        return (value % 1 == 0) & super().holds(value)


class _Multinomial(_Bounded):
    is_discrete = True
    event_dim = 1
    _bounds = ("upper_bound",)

    def holds(self, value: np.ndarray) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= host(self.upper_bound))

    def __repr__(self) -> str:
        return "Multinomial()"
