"""Sets made of other sets, and sets that depend on other parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mindspore import Tensor

from ._sets import Constraint, all_last, host


class _IndependentConstraint(Constraint):
    """A set whose elements take up more dimensions."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is a discrete one."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an element takes up."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Tensor:
        """Return which elements belong to the set, as bool."""
        found = host(self.base_constraint.check(value))
        if found.ndim < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.ndim}")
        return Tensor(np.asarray(all_last(found, self.reinterpreted_batch_ndims)))

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The set of a mixture: that of its components."""

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether the set is a discrete one."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an element takes up."""
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Tensor:
        """Return which elements belong to the set, as bool."""
        found = self.base_constraint.check(Tensor(np.expand_dims(host(value), -1 - self.event_dim)))
        return Tensor(np.asarray(host(found).all(-1)))

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Several(Constraint):
    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        self.cseq, self.dim = list(cseq), dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        """Whether one of the sets is a discrete one."""
        return any(c.is_discrete for c in self.cseq)


class _Cat(_Several):
    """Sets side by side along a dimension."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an element takes up."""
        return max(c.event_dim for c in self.cseq)

    def check(self, value: Any) -> Tensor:
        """Return which elements belong to the sets, as bool."""
        parts = np.split(host(value), np.cumsum(self.lengths)[:-1], self.dim)
        return Tensor(np.concatenate([host(c.check(Tensor(part))) for c, part in zip(self.cseq, parts)], self.dim))


class _Stack(_Several):
    """Sets of the same shape along a new dimension."""

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        """How many dimensions an element takes up."""
        dim = max(c.event_dim for c in self.cseq)
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Tensor:
        """Return which elements belong to the sets, as bool."""
        parts = (host(value).take(i, self.dim) for i in range(value.shape[self.dim]))
        return Tensor(np.stack([host(c.check(Tensor(part))) for c, part in zip(self.cseq, parts)], self.dim))


class _Dependent(Constraint):
    """A set that depends on other parameters: it cannot be checked alone."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def check(self, value: Any) -> Tensor:
        """Raise: there is nothing to compare with."""
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that gives a set, and stands for a dependent one on the class."""

    def __init__(
        self, fn: Callable[[Any], Any] | None = None, *, is_discrete: bool = False, event_dim: int = 0
    ) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn: Callable[[Any], Any]) -> _DependentProperty:
        return _DependentProperty(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)


def is_dependent(constraint: Any) -> bool:
    """Tell whether a set depends on other parameters."""
    return isinstance(constraint, _Dependent)
