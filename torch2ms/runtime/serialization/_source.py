"""The bytes of a checkpoint: small pieces are read, large ones are mapped and read when they are used."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from ._errors import DamagedCheckpoint
from ._mapped import MappedFile

# pieces from here on are mapped, bytes
_LARGE = 1 << 20


class Source:
    """A file, or what a file object holds."""

    def __init__(self, file: Any, lazy: bool = True) -> None:
        """Open a path, or take over a file object from its present position."""
        self._file: MappedFile | None = None
        self._window: Any = None
        self._data = np.zeros(0, np.uint8)
        self._lazy = lazy
        # where the bytes can be read again later, None for file objects
        self.path: str | None = None
        if isinstance(file, (str, bytes, os.PathLike)):
            self.path = os.fsdecode(os.fspath(file))
            self._take(os.open(os.fspath(file), os.O_RDONLY | getattr(os, "O_BINARY", 0)))
        elif isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO) and file.tell() == 0:
            self._take(os.dup(file.fileno()))
        else:
            # a bytearray, so that the tensors on it can be written to
            self._data = np.frombuffer(bytearray(file.read()), np.uint8)
            self.size = self._data.size

    def _take(self, descriptor: int) -> None:
        self.size = os.fstat(descriptor).st_size
        self._file = MappedFile(descriptor, self.size)

    def close(self) -> None:
        """Let the file be closed; mapped pieces stay valid and keep it open."""
        self._file = self._window = None

    def read(self, start: int, count: int) -> memoryview:
        """Return bytes of the file, copied."""
        self.check(start, count)
        if self._file is None:
            return memoryview(self._data[start : start + count])
        return memoryview(_read(self._file.descriptor, start, count))

    def array(self, start: int, count: int) -> np.ndarray:
        """Return writable bytes of the file as uint8; large pieces stay on disk until they are used."""
        self.check(start, count)
        if self._file is None:
            return self._data[start : start + count]
        if not self._lazy or count < _LARGE:
            return np.frombuffer(_read(self._file.descriptor, start, count), np.uint8)
        # the next piece is likely to lie in the same mapping
        self._window = self._file.window(start, count)
        return self._window.array(start, count)

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
