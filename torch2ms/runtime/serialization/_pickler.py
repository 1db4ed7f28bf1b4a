"""The records of a checkpoint in PyTorch's format: a pickle with PyTorch's names, and the zip archive around it.

https://pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import pickle
import struct
import zipfile
from collections.abc import Iterable
from typing import IO, Any

from ._types import SIZES, STORAGE_OF, contiguous_strides

_ROOT = "archive"
_ALIGNMENT = 64
_DATE = (1980, 1, 1, 0, 0, 0)
_PROTOCOL = 2

# the pickler in Python, since the one in C writes no name that it cannot import
_PythonPickler: Any = vars(pickle)["_Pickler"]


class TensorPickler(_PythonPickler):
    """Pickles with PyTorch's names."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream, protocol=_PROTOCOL)

    def write_name(self, module: str, name: str) -> None:
        """Write the name of a class or function."""
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())

    def write_tensor(self, dtype: str, key: str, shape: tuple[int, ...]) -> None:
        """Write a contiguous tensor that begins where the storage `key` begins and is as large."""
        typed = bool(STORAGE_OF[dtype])
        count = 1
        for length in shape:
            count *= length
        self.write_name("torch._utils", "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        self.write(pickle.MARK + pickle.MARK)
        super().save("storage")
        self.write_name(*(("torch", STORAGE_OF[dtype]) if typed else ("torch.storage", "UntypedStorage")))
        super().save(key)
        super().save("cpu")
        super().save(count if typed else count * SIZES[dtype])
        self.write(pickle.TUPLE + pickle.BINPERSID)
        super().save(0)
        super().save(shape)
        super().save(contiguous_strides(shape))
        super().save(False)
        self.write_no_hooks()
        if not typed:
            self.write_name("torch", dtype)
        self.write(pickle.TUPLE + pickle.REDUCE)

    def write_no_hooks(self) -> None:
        """Write an empty OrderedDict."""
        self.write_name("collections", "OrderedDict")
        self.write(pickle.EMPTY_TUPLE + pickle.REDUCE)


def write_archive(file: IO[bytes], pickled: Any, storages: Iterable[tuple[int, Iterable[Any]]]) -> None:
    """Write the archive: the pickle, and each storage as its size in bytes and its pieces."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _add(archive, "data.pkl", len(pickled), [pickled])
        _add(archive, "byteorder", 6, [b"little"])
        for number, (size, pieces) in enumerate(storages):
            _add(archive, f"data/{number}", size, pieces)
        _add(archive, "version", 2, [b"3\n"])


def _add(archive: zipfile.ZipFile, name: str, size: int, pieces: Iterable[Any]) -> None:
    info = zipfile.ZipInfo(f"{_ROOT}/{name}", _DATE)
    large = size >= zipfile.ZIP64_LIMIT
    # PyTorch maps records that start at multiples of 64, reached by a field of padding
    start = archive.start_dir + 30 + len(info.filename) + (20 if large else 0) + 4
    padding = -start % _ALIGNMENT
    info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
    with archive.open(info, "w", force_zip64=large) as record:
        for piece in pieces:
            record.write(piece)
