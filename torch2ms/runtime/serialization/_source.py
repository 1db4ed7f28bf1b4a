"""The bytes of a checkpoint: small pieces are read, large ones are mapped and read when they are used."""

from __future__ import annotations

import io
import mmap
import os
from typing import Any

import numpy as np

from ._errors import DamagedCheckpoint

# pieces from here on are mapped, bytes
_LARGE = 1 << 20


class Source:
    """A file, or what a file object holds."""

    def __init__(self, file: Any, lazy: bool = True) -> None:
        """Open a path, or take over a file object from its present position."""
        self._descriptor: int | None = None
        self._data = np.zeros(0, np.uint8)
        self._lazy = lazy
        # where the bytes can be read again later, None for file objects
        self.path: str | None = None
        if isinstance(file, (str, bytes, os.PathLike)):
            self.path = os.fsdecode(os.fspath(file))
            self._descriptor = os.open(os.fspath(file), os.O_RDONLY | getattr(os, "O_BINARY", 0))
            self.size = os.fstat(self._descriptor).st_size
        elif isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO) and file.tell() == 0:
            self._descriptor = os.dup(file.fileno())
            self.size = os.fstat(self._descriptor).st_size
        else:
            # a bytearray, so that the tensors on it can be written to
            self._data = np.frombuffer(bytearray(file.read()), np.uint8)
            self.size = self._data.size

    def close(self) -> None:
        """Close the file; mapped pieces stay valid."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def read(self, start: int, count: int) -> memoryview:
        """Return bytes of the file, copied."""
        self.check(start, count)
        if self._descriptor is None:
            return memoryview(self._data[start : start + count])
        return memoryview(_read(self._descriptor, start, count))

    def array(self, start: int, count: int) -> np.ndarray:
        """Return writable bytes of the file as uint8; large pieces stay on disk until they are used."""
        self.check(start, count)
        if self._descriptor is None:
            return self._data[start : start + count]
        if not self._lazy or count < _LARGE:
            return np.frombuffer(_read(self._descriptor, start, count), np.uint8)
        skipped = start % mmap.ALLOCATIONGRANULARITY
        mapped = mmap.mmap(self._descriptor, count + skipped, access=mmap.ACCESS_COPY, offset=start - skipped)
        return np.frombuffer(mapped, np.uint8, count, skipped)

    def check(self, start: int, count: int) -> None:
        """Raise DamagedCheckpoint unless these bytes are in the file."""
        if start < 0 or count < 0 or start + count > self.size:
            raise DamagedCheckpoint("the checkpoint is cut off")


def _read(descriptor: int, start: int, count: int) -> bytearray:
    data = bytearray(count)
    view, done = memoryview(data), 0
    while done < count:
        got = os.preadv(descriptor, [view[done:]], start + done)
        if got == 0:
            raise DamagedCheckpoint("the checkpoint is cut off")
        done += got
    return data
