"""Functions made of other functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindspore import Tensor, ops

from ... import mint
from .. import constraints
from .._base import sum_last
from ._base import Shape, Transform


class ComposeTransform(Transform):
    """Functions one after the other."""

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _widened(self.parts[0].domain, dims)

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _widened(self.parts[-1].codomain, dims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all parts are."""
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        """The product of the signs."""
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        """The inverses in the reverse order."""
        return ComposeTransform([part.inv for part in reversed(self.parts)])

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the logarithms."""
        if not self.parts:
            return ops.zeros_like(x)
        dims = self.domain.event_dim
        total: Any = 0.0
        for i, part in enumerate(self.parts):
            after = y if i == len(self.parts) - 1 else part(x)
            total = total + sum_last(part.log_abs_det_jacobian(x, after), dims - part.domain.event_dim)
            dims += part.codomain.event_dim - part.domain.event_dim
            x = after
        return total

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return tuple(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return tuple(shape)

    def __repr__(self) -> str:
        inside = ",\n    ".join(repr(part) for part in self.parts)
        return f"ComposeTransform(\n    {inside}\n)"


def _widened(constraint: Any, dims: int) -> Any:
    missing = dims - constraint.event_dim
    return constraints.independent(constraint, missing) if missing > 0 else constraint


class IndependentTransform(Transform):
    """A function whose last batch dimensions make up one element."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size) if cache_size else base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether the function is."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        """1 where the function increases, -1 where it decreases."""
        return self.base_transform.sign

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform._inv_call(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the logarithms over each element."""
        return sum_last(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class _Several(Transform):
    """Functions for the parts of a tensor along a dimension."""

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        super().__init__(cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all parts are."""
        return all(t.bijective for t in self.transforms)

    def _parts(self, value: Tensor) -> list[Tensor]:
        raise NotImplementedError

    def _joined(self, parts: list[Tensor]) -> Tensor:
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return self._joined([t(part) for t, part in zip(self.transforms, self._parts(x))])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._joined([t._inv_call(part) for t, part in zip(self.transforms, self._parts(y))])


class CatTransform(_Several):
    """Functions for parts of given lengths along a dimension."""

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @property
    def event_dim(self) -> int:
        """How many dimensions make up one element."""
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The length of all parts together."""
        return sum(self.lengths)

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        same = self._cache_size == cache_size
        return self if same else CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != self.length:
            raise AssertionError(f"size along dim {self.dim} ({value.shape[self.dim]}) must match length ({self.length})")
        return list(mint.split(value, self.lengths, self.dim))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return mint.cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithms of the parts, side by side where the dimension belongs to no element."""
        found = []
        for t, before, after in zip(self.transforms, self._parts(x), self._parts(y)):
            found.append(sum_last(t.log_abs_det_jacobian(before, after), self.event_dim - t.event_dim))
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        dim += self.event_dim
        if dim < 0:
            return mint.cat(found, dim)
        return sum(found[1:], found[0])


class StackTransform(_Several):
    """Functions for the slices of a tensor along a dimension."""

    def __init__(self, transforms: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(transforms, dim, cache_size)

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _parts(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != len(self.transforms):
            raise AssertionError(
                f"size along dim {self.dim} ({value.shape[self.dim]}) must match the transforms ({len(self.transforms)})"
            )
        return list(mint.unbind(value, self.dim))

    def _joined(self, parts: list[Tensor]) -> Tensor:
        return mint.stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithms of the slices, stacked."""
        pairs = zip(self.transforms, self._parts(x), self._parts(y))
        return mint.stack([t.log_abs_det_jacobian(before, after) for t, before, after in pairs], self.dim)


identity_transform = ComposeTransform([])
