"""A tensor where it lies in a file, and its bytes in pieces that fit in memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from torch2ms.weights.formats import dtypes, errors

# bytes read at a time, a multiple of every element
PIECE = 8 << 20


class Place(NamedTuple):
    """Consecutive bytes: of a file (a path), or of what was unpacked (an array)."""

    holder: Any
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """The type (PyTorch's name), the shape and the bytes; with strides (elements) if these do not follow in order."""

    dtype: str
    shape: tuple[int, ...]
    places: tuple[Place, ...]
    offset: int = 0
    strides: tuple[int, ...] | None = None

    @property
    def size(self) -> int:
        """Bytes of the numbers."""
        return math.prod(self.shape) * dtypes.SIZES[self.dtype]


def read(tensor: StoredTensor) -> Iterator[memoryview]:
    """Give the numbers in order; each piece is valid until the next one is asked for."""
    if tensor.size == 0:
        return
    if tensor.strides is not None:
        yield from _read_strided(tensor, tensor.strides)
        return
    for place in tensor.places:
        if isinstance(place.holder, np.ndarray):
            yield place.holder[place.start : place.start + place.size].data
        else:
            yield from _read_file(place)


def _read_file(place: Place) -> Iterator[memoryview]:
    buffer = memoryview(bytearray(min(PIECE, place.size)))
    with open(place.holder, "rb", buffering=0) as file:
        file.seek(place.start)
        left = place.size
        while left:
            filled = 0
            wanted = min(left, len(buffer))
            while filled < wanted:
                got = file.readinto(buffer[filled:wanted])
                if not got:
                    raise errors.DamagedCheckpoint(f"{place.holder} became shorter while it was read")
                filled += got
            left -= wanted
            yield buffer[:wanted]


def _read_strided(tensor: StoredTensor, strides: tuple[int, ...]) -> Iterator[memoryview]:
    (place,) = tensor.places
    item = dtypes.SIZES[tensor.dtype]
    raw = (
        place.holder[place.start : place.start + place.size]
        if isinstance(place.holder, np.ndarray)
        else np.memmap(place.holder, np.uint8, "r", place.start, (place.size,))
    )
    # bytes as the last axis, so that no type has to be known
    first = raw[tensor.offset * item :]
    steps = (*(step * item for step in strides), 1)
    whole = np.lib.stride_tricks.as_strided(first, (*tensor.shape, item), steps, writeable=False)
    rows = max(1, PIECE // max(1, tensor.size // tensor.shape[0]))
    for start in range(0, tensor.shape[0], rows):
        yield np.ascontiguousarray(whole[start : start + rows]).reshape(-1).data
