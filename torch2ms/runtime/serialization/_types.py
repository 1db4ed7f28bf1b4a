"""The types that a checkpoint stores, by PyTorch's names, and the bounds that a tensor keeps in its storage.

Nothing here needs MindSpore, as in every module of this folder that only reads or writes bytes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ._errors import DamagedCheckpoint

# PyTorch's name of a type: its storage class, bytes of an element
_TYPES: tuple[tuple[str, str, int], ...] = (
    ("float32", "FloatStorage", 4),
    ("float64", "DoubleStorage", 8),
    ("float16", "HalfStorage", 2),
    ("bfloat16", "BFloat16Storage", 2),
    ("int64", "LongStorage", 8),
    ("int32", "IntStorage", 4),
    ("int16", "ShortStorage", 2),
    ("int8", "CharStorage", 1),
    ("uint8", "ByteStorage", 1),
    ("bool", "BoolStorage", 1),
    ("complex64", "ComplexFloatStorage", 8),
    ("complex128", "ComplexDoubleStorage", 16),
    ("uint16", "", 2),
    ("uint32", "", 4),
    ("uint64", "", 8),
)
SIZES: dict[str, int] = {name: size for name, _, size in _TYPES}
OF_STORAGE: dict[str, str] = {storage: name for name, storage, _ in _TYPES if storage}
STORAGE_OF: dict[str, str] = {name: storage for name, storage, _ in _TYPES}
_MOST_AXES = 32


class Storage(NamedTuple):
    """The bytes of one storage (None: not known yet) and the type that its class says (None: untyped)."""

    raw: Any
    dtype: str | None


def check_bounds(offset: Any, size: Any, stride: Any, elements: int | None) -> None:
    """Raise DamagedCheckpoint unless the tensor lies inside a storage of so many elements (None: not known yet)."""
    if not isinstance(size, (tuple, list)) or not isinstance(stride, (tuple, list)) or len(size) != len(stride):
        raise DamagedCheckpoint("a tensor of the checkpoint has no proper size")
    if len(size) > _MOST_AXES or any(type(n) is not int or n < 0 for n in (offset, *size, *stride)):
        raise DamagedCheckpoint("a tensor of the checkpoint has an impossible size, stride or offset")
    last = sum((count - 1) * step for count, step in zip(size, stride))
    if elements is not None and all(size) and offset + last >= elements:
        raise DamagedCheckpoint(f"a tensor of size {tuple(size)} reaches beyond its storage of {elements} elements")


def contiguous(size: Any, stride: Any) -> bool:
    """Tell whether the elements lie one after the other."""
    expected = 1
    for count, step in zip(reversed(size), reversed(stride)):
        if count != 1 and step != expected:
            return False
        expected *= count
    return True


def contiguous_strides(shape: Any) -> tuple[int, ...]:
    """Return the strides of a tensor whose elements lie one after the other, in elements."""
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(1, shape[axis + 1])
    return tuple(steps)
