"""What all transforms share: the memory of the last value, the inverse, shapes."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor

Shape = tuple[int, ...]


class Transform:
    """An invertible function; a class of one's own defines `domain`, `codomain`, `_call` and `_inverse`."""

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._cached_x_y: tuple[Any, Any] = (None, None)

    @property
    def event_dim(self) -> int:
        """How many dimensions make up one element, where input and output agree about it."""
        if self.domain.event_dim == self.codomain.event_dim:
            return int(self.domain.event_dim)
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse function."""
        return _InverseTransform(self)

    @property
    def sign(self) -> Any:
        """1 where the function increases, -1 where it decreases."""
        raise NotImplementedError(f"{type(self).__name__}.sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the function with or without a memory of its last value."""
        if getattr(self, "_cache_size", 0) == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __call__(self, x: Tensor) -> Tensor:
        if not getattr(self, "_cache_size", 0):
            return self._call(x)
        known, value = self._cached_x_y
        if x is not known:
            value = self._call(x)
            self._cached_x_y = x, value
        return value

    def _inv_call(self, y: Tensor) -> Tensor:
        # with a memory, the very x that gave the value
        if not getattr(self, "_cache_size", 0):
            return self._inverse(y)
        value, known = self._cached_x_y
        if y is not known:
            value = self._inverse(y)
            self._cached_x_y = value, y
        return value

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}._call")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}._inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        raise NotImplementedError(f"{type(self).__name__}.log_abs_det_jacobian")

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return tuple(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        return tuple(shape)

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    def __init__(self, transform: Transform) -> None:
        super().__init__()
        self._inv = transform

    @property
    def domain(self) -> Any:
        """The set of inputs."""
        return self._inv.codomain

    @property
    def codomain(self) -> Any:
        """The set of outputs."""
        return self._inv.domain

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether there is an inverse for each output."""
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        """1 where the function increases, -1 where it decreases."""
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        """The function that this is the inverse of."""
        return self._inv

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the size of the derivative."""
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Shape) -> Shape:
        """Return the shape of the output for a shape of the input."""
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """Return the shape of the input for a shape of the output."""
        return self._inv.forward_shape(shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"
