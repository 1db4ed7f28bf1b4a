"""`biject_to` and `transform_to`: the functions from all numbers to the values of a constraint.

https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraint_registry
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms

_Factory = Callable[[Any], transforms.Transform]


class ConstraintRegistry:
    """Finds the transform for a constraint by its class."""

    def __init__(self) -> None:
        self._registry: dict[type, _Factory] = {}

    def register(self, constraint: Any, factory: _Factory | None = None) -> Any:
        """Add the transform of a class of constraints, or of the class of one; a decorator without `factory`."""
        if factory is None:
            return lambda given: self.register(constraint, given)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> transforms.Transform:
        """Return the transform.

        Raises:
            NotImplementedError: none is registered.
        """
        if type(constraint) not in self._registry:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return self._registry[type(constraint)](constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _above(constraint: Any) -> transforms.Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


def _below(constraint: Any) -> transforms.Transform:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


def _between(constraint: Any) -> transforms.Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _register(registry: ConstraintRegistry) -> None:
    """Add what the two registries have in common."""
    registry.register(constraints.real, lambda _: transforms.identity_transform)
    for kind in (constraints.greater_than, constraints.greater_than_eq):
        registry.register(kind, _above)
    registry.register(constraints.less_than, _below)
    for bounded in (constraints.interval, constraints.half_open_interval):
        registry.register(bounded, _between)
    registry.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(constraints.cat, lambda c: transforms.CatTransform([registry(p) for p in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(p) for p in c.cseq], c.dim))


_register(biject_to)
_register(transform_to)
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
for _matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrices, lambda _: transforms.PositiveDefiniteTransform())
