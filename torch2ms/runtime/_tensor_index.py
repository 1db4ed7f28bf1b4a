"""Indices of tensors as PyTorch takes them: numpy's numbers, masks of several dimensions, strides and whole Parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

from . import _backend, mint
from ._device_target import IS_CPU
from ._lower.assignment import assign

_PLAIN = frozenset((int, bool, Tensor, type(None), type(Ellipsis)))
_ALL = slice(None)


def reading(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method `x[index]` for all of PyTorch's indices."""
    method = _with_plain_index(method)
    return _reads_numbers(_reads_strided(method)) if IS_CPU else method


def writing(method: Callable[..., Any], of_parameter: bool) -> Callable[..., Any]:
    """Return the method `x[index] = value` for all of PyTorch's indices."""
    method = _with_nothing(_with_plain_index(method))
    return _writes_whole(method) if of_parameter else method


def plain_index(index: Any) -> Any:
    """Return an index in which numpy's numbers and arrays, and ranges, have become what MindSpore takes."""
    if isinstance(index, np.generic):
        return index.item()
    if isinstance(index, np.ndarray):
        return Tensor(index if index.dtype == np.bool_ else index.astype(np.int64))
    if isinstance(index, slice):
        return slice(*(plain_index(bound) for bound in (index.start, index.stop, index.step)))
    if isinstance(index, (tuple, list)):
        return type(index)(plain_index(part) for part in index)
    return list(index) if isinstance(index, range) else index


def _rank(whole: int, index: Any) -> int | None:
    """The number of dimensions that an index of numbers, slices and None leaves; None for other indices."""
    parts = index if isinstance(index, tuple) else (index,)
    for part in parts:
        if isinstance(part, int) and not isinstance(part, bool):
            whole -= 1
        elif part is None:
            whole += 1
        elif not isinstance(part, slice) and part is not Ellipsis:
            return None
    return whole


def _fitted(self: Tensor, index: Any, value: Any) -> Any:
    """The value without leading dimensions of one that the place lacks; PyTorch writes (1, 5) into a row of 5."""
    if isinstance(value, Tensor) and value.ndim and value.shape[0] == 1:
        rank = _rank(self.ndim, index)
        while rank is not None and value.ndim > rank and value.shape[0] == 1:
            value = value[0]
    return value


def _with_plain_index(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def access(self: Tensor, index: Any, *value: Any) -> Any:
        index = index if type(index) in _PLAIN else plain_index(index)
        if type(index) is tuple and any(map(_is_wide_mask, index)):
            index = _without_wide_masks(index)
        return method(self, index, _fitted(self, index, *value)) if value else method(self, index)

    return access


def _is_wide_mask(part: Any) -> bool:
    return isinstance(part, Tensor) and part.dtype == mindspore.bool_ and part.ndim > 1


def _without_wide_masks(index: tuple[Any, ...]) -> Any:
    """The index with masks of several dimensions as the places they name.

    MindSpore counts such a mask as one dimension: in `x[mask, :]` it takes the length of the slice from the dimension
    after the first, and gives another shape or raises.
    """
    if all(part is Ellipsis or isinstance(part, slice) and part == _ALL for part in index[1:]):
        return index[0]
    parts: list[Any] = []
    for part in index:
        parts += mint.nonzero(part, as_tuple=True) if _is_wide_mask(part) else [part]
    return tuple(parts)


def _reads_strided(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `x[:, ::2]` take its gradient on CPU, where the kernel of strided slices fails before the last dimension."""

    @functools.wraps(method)
    def access(self: Tensor, index: Any) -> Any:
        if type(index) is tuple and self.ndim > 2 and _backend.is_recording() and any(map(_is_strided, index)):
            self, index = _without_strides(self, index)
        return method(self, index)

    return access


def _reads_numbers(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `x[i, j]` with tensors of one number each take its gradient on CPU, where the kernel wants indices with dimensions."""

    @functools.wraps(method)
    def access(self: Tensor, index: Any) -> Any:
        if type(index) is tuple and any(map(_is_number, index)) and _backend.is_recording():
            if all(_is_number(part) for part in index if isinstance(part, Tensor)):
                index = tuple(part.item() if isinstance(part, Tensor) else part for part in index)
        return method(self, index)

    return access


def _is_number(part: Any) -> bool:
    return isinstance(part, Tensor) and part.ndim == 0 and part.dtype != mindspore.bool_


def _is_strided(part: Any) -> bool:
    return isinstance(part, slice) and part.step not in (None, 1)


def _without_strides(x: Tensor, index: tuple[Any, ...]) -> tuple[Tensor, tuple[Any, ...]]:
    """Return the tensor with the strided slices of an index taken, and what is left of the index."""
    parts = [part for part in index if part is not None]
    taken = sum(part.ndim if isinstance(part, Tensor) and part.dtype == mindspore.bool_ else 1 for part in parts)
    dim, rest = 0, []
    for part in index:
        if _is_strided(part):
            places = range(*part.indices(x.shape[dim]))
            x, part = mint.index_select(x, dim, Tensor(np.array(places, np.int64))), slice(None)
        rest.append(part)
        if part is Ellipsis:
            dim += x.ndim - (taken - 1)
        elif part is not None:
            dim += part.ndim if isinstance(part, Tensor) and part.dtype == mindspore.bool_ else 1
    return x, tuple(rest)


def _writes_whole(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `p[:] = value`, `p[...] = value` and `p[()] = value` assign a Parameter.

    MindSpore's write leaves the Parameter marked as a view, and every later assignment to it, an optimizer's for one, raises.
    """

    @functools.wraps(method)
    def write(self: Parameter, index: Any, value: Any) -> None:
        if index is not Ellipsis and not (isinstance(index, (slice, tuple)) and index in (_ALL, ())):
            method(self, index, value)
            return
        given = value if isinstance(value, Tensor) else Tensor(value, self.dtype)
        given = given.astype(self.dtype)
        assign(self, given if given.shape == self.shape else given.broadcast_to(self.shape))

    return write


def _with_nothing(method: Callable[..., Any]) -> Callable[..., Any]:
    """`x[:] = y` of a tensor of one number, or of none: the kernels take neither."""

    @functools.wraps(method)
    def write(self: Tensor, index: Any, value: Any) -> Any:
        if type(index) is slice and index == _ALL:
            if self.ndim == 0:
                return method(self, ..., value)
            if self.size == 0:
                return None
        return method(self, index, value)

    return write
