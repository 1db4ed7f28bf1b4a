"""Storages of a checkpoint and the tensors on them, within the bounds that the file proves."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mindspore
import numpy as np
from mindspore import Tensor
from mindspore.common import np_dtype

from ._errors import Budget, DamagedCheckpoint

BFLOAT16 = np.dtype(np_dtype.bfloat16)
# PyTorch's name of a type: its storage class, numpy's type, MindSpore's type
_TYPES: tuple[tuple[str, str, Any, Any], ...] = (
    ("float32", "FloatStorage", np.float32, mindspore.float32),
    ("float64", "DoubleStorage", np.float64, mindspore.float64),
    ("float16", "HalfStorage", np.float16, mindspore.float16),
    ("bfloat16", "BFloat16Storage", BFLOAT16, mindspore.bfloat16),
    ("int64", "LongStorage", np.int64, mindspore.int64),
    ("int32", "IntStorage", np.int32, mindspore.int32),
    ("int16", "ShortStorage", np.int16, mindspore.int16),
    ("int8", "CharStorage", np.int8, mindspore.int8),
    ("uint8", "ByteStorage", np.uint8, mindspore.uint8),
    ("bool", "BoolStorage", np.bool_, mindspore.bool_),
    ("complex64", "ComplexFloatStorage", np.complex64, mindspore.complex64),
    ("complex128", "ComplexDoubleStorage", np.complex128, mindspore.complex128),
    ("uint16", "", np.uint16, mindspore.uint16),
    ("uint32", "", np.uint32, mindspore.uint32),
    ("uint64", "", np.uint64, mindspore.uint64),
)
NUMPY: dict[str, np.dtype] = {name: np.dtype(kind) for name, _, kind, _ in _TYPES}
MINDSPORE: dict[str, Any] = {name: kind for name, _, _, kind in _TYPES}
OF_STORAGE: dict[str, str] = {storage: name for name, storage, _, _ in _TYPES if storage}
STORAGE_OF: dict[str, str] = {name: storage for name, storage, _, _ in _TYPES}
# what a tensor costs beside its numbers, bytes
_OVERHEAD = 512
_MOST_AXES = 32


class Storage(NamedTuple):
    """The bytes of one storage (None: not known yet) and the type that its class says (None: untyped)."""

    raw: np.ndarray | None
    dtype: str | None


def name_of(array: np.ndarray) -> str:
    """Return PyTorch's name for the type of an array."""
    for name, kind in NUMPY.items():
        if array.dtype == kind:
            return name
    raise TypeError(f"a checkpoint holds no arrays of type {array.dtype}")


def rebuild(storage: Any, offset: Any, size: Any, stride: Any, budget: Budget, dtype: str | None = None) -> Tensor:
    """Return the tensor of a size and stride (both counted in elements) at an offset of a storage."""
    kind = NUMPY[dtype or storage.dtype]
    _check_counts(offset, size, stride)
    if storage.raw is None:
        return Tensor.from_numpy(np.zeros(0, kind))
    elements = storage.raw.size // kind.itemsize
    last = sum((count - 1) * step for count, step in zip(size, stride))
    if all(size) and offset + last >= elements:
        raise DamagedCheckpoint(f"a tensor of size {tuple(size)} reaches beyond its storage of {elements} elements")
    budget.charge(_OVERHEAD)
    flat = storage.raw[: elements * kind.itemsize]
    count = math.prod(size)
    if count and _contiguous(size, stride):
        start = offset * kind.itemsize
        array = flat[start : start + count * kind.itemsize].view(kind).reshape(size)
        return Tensor.from_numpy(array if array.flags.aligned and array.flags.writeable else array.copy())
    # a tensor that is no plain piece of its storage is copied out
    budget.charge(count * kind.itemsize)
    if count == 0:
        return Tensor.from_numpy(np.zeros(size, kind))
    steps = tuple(step * kind.itemsize for step in stride)
    whole = flat.view(kind)
    return Tensor.from_numpy(np.lib.stride_tricks.as_strided(whole[offset:], tuple(size), steps).copy())


def _check_counts(offset: Any, size: Any, stride: Any) -> None:
    if not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or len(size) != len(stride):
        raise DamagedCheckpoint("a tensor of the checkpoint has no proper size")
    if len(size) > _MOST_AXES or any(type(n) is not int or n < 0 for n in (offset, *size, *stride)):
        raise DamagedCheckpoint("a tensor of the checkpoint has an impossible size, stride or offset")


def _contiguous(size: Any, stride: Any) -> bool:
    expected = 1
    for count, step in zip(reversed(size), reversed(stride)):
        if count != 1 and step != expected:
            return False
        expected *= count
    return True
