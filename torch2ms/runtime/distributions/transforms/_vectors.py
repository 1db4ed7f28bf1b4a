"""Functions of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mindspore import Tensor

from ... import mint
from .. import constraints
from .._base import numpy_type
from .._matrices import cholesky, diagonal, lower_elements, lower_matrix, on_diagonal
from ._base import Shape, Transform
from ._numbers import inside

F = mint.nn.functional


class _Fixed(Transform):
    """A function without parameters."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None


class ReshapeTransform(Transform):
    """Another shape for each element."""

    bijective = True
    sign = +1

    def __init__(self, in_shape: Shape, out_shape: Shape, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.in_shape, self.out_shape = tuple(in_shape), tuple(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError("in_shape, out_shape have different numbers of elements")

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        return self if self._cache_size == cache_size else ReshapeTransform(self.in_shape, self.out_shape, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(tuple(x.shape[: x.ndim - len(self.in_shape)]) + self.out_shape)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(tuple(y.shape[: y.ndim - len(self.out_shape)]) + self.in_shape)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 0."""
        return mint.zeros(tuple(x.shape[: x.ndim - len(self.in_shape)]), dtype=x.dtype)

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape: Shape, old: Shape, new: Shape) -> Shape:
    cut = len(shape) - len(old)
    if cut < 0:
        raise ValueError("Too few dimensions on input")
    if tuple(shape[cut:]) != old:
        raise ValueError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {old}")
    return tuple(shape[:cut]) + new


class SoftmaxTransform(_Fixed):
    """Probabilities by their logarithms, which are determined up to a constant."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return mint.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return mint.log(y)


class StickBreakingTransform(_Fixed):
    """Probabilities, each as a fraction of what the ones before leave."""

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.simplex

    @staticmethod
    def _offset(count: int, dtype: Any) -> Tensor:
        return Tensor(np.log(np.arange(count, 0, -1)), dtype)

    def _call(self, x: Tensor) -> Tensor:
        fraction = inside(mint.sigmoid(x - self._offset(x.shape[-1], x.dtype)))
        one = mint.ones((*x.shape[:-1], 1), dtype=x.dtype)
        return mint.cat([fraction, one], -1) * mint.cat([one, mint.cumprod(1 - fraction, -1)], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        head = y[..., :-1]
        rest = mint.clamp(1 - mint.cumsum(head, -1), min=float(np.finfo(numpy_type(y)).tiny))
        return mint.log(head) - mint.log(rest) + self._offset(head.shape[-1], y.dtype)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        shifted = x - self._offset(x.shape[-1], x.dtype)
        return mint.sum(F.logsigmoid(shifted) - shifted + mint.log(y[..., :-1]), -1)

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return (*shape[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        return (*shape[:-1], shape[-1] - 1)


class LowerCholeskyTransform(_Fixed):
    """Lower triangular matrices with a positive diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return mint.tril(x, -1) + on_diagonal(mint.exp(diagonal(x)))

    def _inverse(self, y: Tensor) -> Tensor:
        return mint.tril(y, -1) + on_diagonal(mint.log(diagonal(y)))


class PositiveDefiniteTransform(_Fixed):
    """Symmetric positive definite matrices."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        factor = LowerCholeskyTransform()(x)
        return mint.matmul(factor, mint.transpose(factor, -2, -1))

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform()._inverse(cholesky(y))


class CorrCholeskyTransform(_Fixed):
    """Factors of correlation matrices, by partial correlations."""

    bijective = True
    domain = constraints.real_vector
    codomain = constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        eps = float(np.finfo(numpy_type(x)).eps)
        partial = lower_matrix(mint.clamp(mint.tanh(x), eps - 1, 1 - eps), -1)
        # what the columns before leave of the length of a row
        left = mint.cumprod(mint.sqrt(1 - partial * partial), -1)[..., :-1]
        one = mint.ones((*left.shape[:-1], 1), dtype=x.dtype)
        return (partial + mint.eye(partial.shape[-1], dtype=x.dtype)) * mint.cat([one, left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = (1 - mint.cumsum(y * y, -1))[..., :-1]
        one = mint.ones((*left.shape[:-1], 1), dtype=y.dtype)
        lengths = lower_elements(mint.cat([one, left], -1), -1)
        partial = lower_elements(y, -1) / mint.sqrt(lengths)
        return (mint.log1p(partial) - mint.log1p(-partial)) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        left = lower_elements(1 - mint.cumsum(y * y, -1), -2)
        squashed = x + F.softplus(-2 * x) - math.log(2.0)
        return 0.5 * mint.sum(mint.log(left), -1) - 2 * mint.sum(squashed, -1)

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)
