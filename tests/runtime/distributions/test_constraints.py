"""Constraints, what distributions say of their parameters and values, and the transforms to constrained values."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributions as td
from mindspore import Tensor

from tests.runtime.distributions.test_distributions import CASES, COVARIANCE, IDS, _assert_close, _pair
from torch2ms.runtime import distributions as md

RNG = np.random.RandomState(0)
NUMBERS = np.float32([-2.5, -1.0, -0.0, 0.0, 0.3, 0.5, 1.0, 2.0, 7.0, np.inf, -np.inf, np.nan])
VECTORS = np.float32([[0, 1, 0], [1, 1, 0], [0.2, 0.3, 0.5], [0.2, 0.3, 0.4], [-0.5, 0.5, 1.0], [2, 0, 1], [5, 1, 1], [0, 0, 0]])
MATRICES = np.stack([
    np.eye(3), COVARIANCE, np.linalg.cholesky(COVARIANCE), -np.eye(3), np.ones((3, 3)),
    np.linalg.cholesky([[1, 0.3, 0.1], [0.3, 1, -0.2], [0.1, -0.2, 1]]), RNG.randn(3, 3), np.zeros((3, 3)),
]).astype(np.float32)  # fmt: skip

# how a constraint is made, and for which values it is asked
CONSTRAINTS: dict[str, tuple[Any, np.ndarray]] = {
    "boolean": (lambda c: c.boolean, NUMBERS),
    "real": (lambda c: c.real, NUMBERS),
    "positive": (lambda c: c.positive, NUMBERS),
    "nonnegative": (lambda c: c.nonnegative, NUMBERS),
    "nonnegative_integer": (lambda c: c.nonnegative_integer, NUMBERS),
    "positive_integer": (lambda c: c.positive_integer, NUMBERS),
    "unit_interval": (lambda c: c.unit_interval, NUMBERS),
    "greater_than": (lambda c: c.greater_than(0.3), NUMBERS),
    "greater_than_eq": (lambda c: c.greater_than_eq(lower_bound=1), NUMBERS),
    "less_than": (lambda c: c.less_than(1.0), NUMBERS),
    "interval": (lambda c: c.interval(-1, 2.0), NUMBERS),
    "half_open_interval": (lambda c: c.half_open_interval(-1.0, upper_bound=2.0), NUMBERS),
    "integer_interval": (lambda c: c.integer_interval(0, 3), NUMBERS),
    "one_hot": (lambda c: c.one_hot, VECTORS),
    "simplex": (lambda c: c.simplex, VECTORS),
    "multinomial": (lambda c: c.multinomial(3), VECTORS),
    "real_vector": (lambda c: c.real_vector, VECTORS),
    "independent": (lambda c: c.independent(c.positive, 2), MATRICES),
    "lower_triangular": (lambda c: c.lower_triangular, MATRICES),
    "lower_cholesky": (lambda c: c.lower_cholesky, MATRICES),
    "corr_cholesky": (lambda c: c.corr_cholesky, MATRICES),
    "square": (lambda c: c.square, MATRICES),
    "symmetric": (lambda c: c.symmetric, MATRICES[[0, 1, 3, 4, 7]]),
    "positive_definite": (lambda c: c.positive_definite, MATRICES[[0, 1, 3, 7]]),
    "positive_semidefinite": (lambda c: c.positive_semidefinite, MATRICES[[0, 1, 3, 7]]),
    "cat": (lambda c: c.cat([c.positive, c.real], 1, [1, 2]), VECTORS),
    "stack": (lambda c: c.stack([c.positive, c.real, c.boolean], -1), VECTORS),
    "MixtureSameFamilyConstraint": (lambda c: c.MixtureSameFamilyConstraint(c.positive), NUMBERS),
}


def test_every_constraint_is_here() -> None:
    assert set(md.constraints.__all__) == set(td.constraints.__all__)
    assert set(CONSTRAINTS) >= set(td.constraints.__all__) - {"Constraint", "dependent", "dependent_property", "is_dependent"}


def test_every_distribution_and_transform_is_here() -> None:
    for theirs, ours in ((td, md), (td.transforms, md.transforms)):
        assert not set(theirs.__all__) - set(dir(ours))


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_which_values_belong(name: str) -> None:
    make, values = CONSTRAINTS[name]
    ours, theirs = make(md.constraints), make(td.constraints)
    np.testing.assert_array_equal(ours.check(Tensor(values)).asnumpy(), theirs.check(torch.tensor(values)).numpy())
    assert (ours.is_discrete, ours.event_dim) == (theirs.is_discrete, theirs.event_dim)
    if name not in ("cat", "stack", "MixtureSameFamilyConstraint"):
        assert repr(ours) == repr(theirs)


def test_dependent_constraints() -> None:
    for constraints, value in ((td.constraints, torch.ones(1)), (md.constraints, Tensor([1.0]))):
        assert constraints.is_dependent(constraints.dependent)
        assert not constraints.is_dependent(constraints.real)
        with pytest.raises(ValueError, match="dependent"):
            constraints.dependent.check(value)


@pytest.mark.parametrize(("name", "arguments", "value"), CASES, ids=IDS)
def test_what_distributions_say(name: str, arguments: dict[str, Any], value: np.ndarray) -> None:
    theirs, ours = _pair(name, arguments)
    assert isinstance(ours, md.ExponentialFamily) == isinstance(theirs, td.ExponentialFamily)
    assert repr(ours.support).split("(")[0] == repr(theirs.support).split("(")[0]
    np.testing.assert_array_equal(
        ours.support.check(Tensor(value)).asnumpy(), theirs.support.check(torch.tensor(value)).numpy()
    )
    expected, found = theirs.arg_constraints, ours.arg_constraints
    assert sorted(found) == sorted(expected)
    if not isinstance(inspect.getattr_static(type(theirs), "arg_constraints"), property):
        assert {key: repr(found[key]) for key in found} == {key: repr(expected[key]) for key in expected}


@pytest.mark.parametrize(("name", "arguments", "value"), CASES, ids=IDS)
def test_values_that_are_refused(name: str, arguments: dict[str, Any], value: np.ndarray) -> None:
    theirs, ours = _pair(name, arguments)
    wrong = np.full_like(value, -7) if value.dtype.kind == "i" else np.full_like(value, np.nan)
    for distribution, tensor in ((theirs, torch.tensor(wrong)), (ours, Tensor(wrong))):
        with pytest.raises(ValueError):
            distribution.log_prob(tensor)
    if ours.batch_shape + ours.event_shape:
        with pytest.raises(ValueError):
            ours.log_prob(Tensor(np.ones((5, 7, 11), value.dtype)))


def test_checks_can_be_turned_off() -> None:
    for library, value in ((td, torch.tensor(-1.0)), (md, Tensor(-1.0))):
        assert np.isfinite(float(library.Exponential(1.0, validate_args=False).log_prob(value)))
        library.Distribution.set_default_validate_args(False)
        assert np.isfinite(float(library.Exponential(1.0).log_prob(value)))
        library.Distribution.set_default_validate_args(True)


def test_arguments_of_a_class_of_ones_own() -> None:
    for library, tensor in ((td, torch.tensor), (md, Tensor)):

        class Shifted(library.Distribution):
            arg_constraints = {"shift": library.constraints.positive}
            support = library.constraints.real

            def __init__(self, shift: Any) -> None:
                self.shift = shift
                super().__init__(shift.shape)

            def log_prob(self, value: Any) -> Any:
                self._validate_sample(value)
                return -value - self.shift

        with pytest.raises(ValueError, match="shift"):
            Shifted(tensor([1.0, -1.0]))
        shifted = Shifted(tensor([1.0, 2.0]))
        assert shifted.log_prob(tensor([1.0, 1.0])).tolist() == [-2.0, -3.0]
        with pytest.raises(ValueError):
            shifted.log_prob(tensor([float("nan"), 1.0]))


REGISTERED = {
    "real": np.float32([-1.0, 2.0]), "positive": np.float32([-1.0, 2.0]), "nonnegative": np.float32([-1.0, 2.0]),
    "greater_than": np.float32([-1.0, 2.0]), "greater_than_eq": np.float32([-1.0, 2.0]), "less_than": np.float32([-1.0, 2.0]),
    "unit_interval": np.float32([-1.0, 2.0]), "interval": np.float32([-1.0, 2.0]), "half_open_interval": np.float32([-1.0, 2.0]),
    "simplex": RNG.randn(2, 3).astype(np.float32), "real_vector": RNG.randn(2, 3).astype(np.float32),
    "lower_cholesky": RNG.randn(2, 3, 3).astype(np.float32), "positive_definite": RNG.randn(2, 3, 3).astype(np.float32),
    "positive_semidefinite": RNG.randn(2, 3, 3).astype(np.float32), "corr_cholesky": RNG.randn(2, 3).astype(np.float32),
    "cat": RNG.randn(2, 3).astype(np.float32), "stack": RNG.randn(2, 3).astype(np.float32), "boolean": np.float32([0.0]),
}  # fmt: skip
_SPECIAL = {"stack": lambda c: c.stack([c.positive, c.real, c.unit_interval], -1)}


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("name", REGISTERED)
def test_the_transform_to_a_constraint(registry: str, name: str) -> None:
    make = _SPECIAL.get(name, CONSTRAINTS[name][0])
    x = REGISTERED[name]
    try:
        theirs = getattr(td, registry)(make(td.constraints))
    except NotImplementedError:
        with pytest.raises(NotImplementedError):
            getattr(md, registry)(make(md.constraints))
        return
    ours = getattr(md, registry)(make(md.constraints))
    y = theirs(torch.tensor(x))
    _assert_close(ours(Tensor(x)), y)
    _assert_close(ours.inv(Tensor(y.numpy())), theirs.inv(y), 1e-4)


def test_a_transform_is_registered() -> None:
    class Own(md.constraints.Constraint):
        pass

    md.transform_to.register(Own, lambda _: md.transforms.TanhTransform())
    assert isinstance(md.transform_to(Own()), md.transforms.TanhTransform)
    with pytest.raises(TypeError):
        md.transform_to.register(int, lambda _: md.transforms.TanhTransform())
