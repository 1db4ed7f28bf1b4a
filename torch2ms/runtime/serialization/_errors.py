"""What goes wrong with a checkpoint, and how much memory reading one may take."""

from __future__ import annotations

import pickle

_FREE = 64 * 1024 * 1024


class DamagedCheckpoint(RuntimeError):
    """The file is no checkpoint, is cut off, or contradicts itself."""


class UnsafeCheckpoint(pickle.UnpicklingError):
    """The file holds more than data: loading it would run code."""


class Budget:
    """How many bytes reading a file may still allocate: twice the file's size and 64 MB in all."""

    def __init__(self, file_size: int) -> None:
        self.limit = 2 * file_size + _FREE
        self.left = self.limit

    def charge(self, size: int) -> None:
        """Count an allocation; raises before more is allocated than the file can need."""
        self.left -= size
        if self.left < 0:
            raise DamagedCheckpoint(
                f"reading this checkpoint would take more than {self.limit} bytes of memory, "
                "which is more than a file of its size needs"
            )
