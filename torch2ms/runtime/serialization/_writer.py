"""Writes checkpoints that `torch.load(weights_only=True)` reads: a zip archive of one pickle and the storages."""

from __future__ import annotations

import argparse
import io
import pathlib
import pickle
import struct
import types
import zipfile
from typing import IO, Any

import numpy as np
from mindspore import Parameter, Tensor
from mindspore.nn import Cell

from ..device import Device
from . import _builders
from ._storage import MINDSPORE, STORAGE_OF, name_of

_ROOT = "archive"
_ALIGNMENT = 64
_DATE = (1980, 1, 1, 0, 0, 0)
_PROTOCOL = 2
# what the pickle may hold beside tensors; numpy's types only PyTorch with weights_only=False reads back
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, slice, range,
    argparse.Namespace, types.SimpleNamespace, np.ndarray, np.generic, np.dtype, pathlib.PurePath,
)  # fmt: skip


# the pickler in Python, since the one in C writes no name that it cannot import
_PythonPickler: Any = vars(pickle)["_Pickler"]


class _Pickler(_PythonPickler):
    """Pickles with PyTorch's names."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream, protocol=_PROTOCOL)
        self.storages: list[np.ndarray] = []
        self._keys: dict[tuple[int, int], str] = {}

    def save(self, value: Any, save_persistent_id: bool = True) -> None:
        """Write one value."""
        if isinstance(value, Tensor):
            self._save_tensor(value)
        elif isinstance(value, Device):
            self._save_device(value)
        elif (name := _type_name(value)) is not None:
            self._global("torch", name)
        else:
            _check(value)
            super().save(value, save_persistent_id)

    def _global(self, module: str, name: str) -> None:
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())

    def _save_device(self, device: Device) -> None:
        self._global("torch", "device")
        super().save(("cpu",) if device == "cpu" else ("cuda", device.index or 0))
        self.write(pickle.REDUCE)

    def _save_tensor(self, tensor: Tensor) -> None:
        remembered = self.memo.get(id(tensor))
        if remembered is not None:
            self.write(self.get(remembered[0]))
            return
        is_parameter = isinstance(tensor, Parameter)
        if is_parameter:
            self._global("torch._utils", "_rebuild_parameter")
            self.write(pickle.MARK)
        self._save_data(np.ascontiguousarray(tensor.asnumpy()).reshape(tensor.shape))
        if is_parameter:
            super().save(bool(tensor.requires_grad))
            self._save_no_hooks()
            self.write(pickle.TUPLE + pickle.REDUCE)
        self.memoize(tensor)

    def _save_data(self, array: np.ndarray) -> None:
        kind = name_of(array)
        typed = bool(STORAGE_OF[kind])
        self._global("torch._utils", "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        self.write(pickle.MARK + pickle.MARK)
        super().save("storage")
        self._global(*(("torch", STORAGE_OF[kind]) if typed else ("torch.storage", "UntypedStorage")))
        super().save(self._key(array))
        super().save("cpu")
        super().save(array.size if typed else array.nbytes)
        self.write(pickle.TUPLE + pickle.BINPERSID)
        super().save(0)
        super().save(tuple(array.shape))
        super().save(_strides(array.shape))
        super().save(False)
        self._save_no_hooks()
        if not typed:
            self._global("torch", kind)
        self.write(pickle.TUPLE + pickle.REDUCE)

    def _save_no_hooks(self) -> None:
        self._global("collections", "OrderedDict")
        self.write(pickle.EMPTY_TUPLE + pickle.REDUCE)

    def _key(self, array: np.ndarray) -> str:
        """Return the number of the array's storage; tensors on the same memory share one."""
        place = array.__array_interface__["data"][0], array.nbytes
        if array.nbytes == 0 or place not in self._keys:
            self._keys[place] = str(len(self.storages))
            # kept, so that no other array can come to lie at the same address
            self.storages.append(array)
        return self._keys[place]


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * max(1, shape[axis + 1])
    return tuple(steps)


def _type_name(value: Any) -> str | None:
    if not type(value).__module__.startswith("mindspore."):
        return None
    return next((name for name, kind in MINDSPORE.items() if type(kind) is type(value) and kind == value), None)


def _check(value: Any) -> None:
    """Raise PicklingError for what is not data."""
    if isinstance(value, Cell):
        raise pickle.PicklingError(
            f"a model ({type(value).__name__}) is code as well as data and is not saved whole: "
            "save model.state_dict(), and build the model before you load it"
        )
    if isinstance(value, type) or callable(value):
        named = f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', value)}"
        if not _builders.knows(named):
            raise pickle.PicklingError(f"{named} is code, and a checkpoint holds data only")
    elif not isinstance(value, _PLAIN) and type(value) not in _builders.get_safe_globals():
        raise pickle.PicklingError(
            f"an object of {type(value).__module__}.{type(value).__qualname__} is not saved, since a checkpoint holds "
            f"data only: save its state_dict() or its values, or name its class with "
            f"{__package__}.add_safe_globals([...])"
        )


def write(value: Any, file: IO[bytes]) -> None:
    """Write a checkpoint to a binary file."""
    stream = io.BytesIO()
    pickler = _Pickler(stream)
    pickler.dump(value)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        _add(archive, file, "data.pkl", stream.getbuffer())
        _add(archive, file, "byteorder", b"little")
        for number, array in enumerate(pickler.storages):
            _add(archive, file, f"data/{number}", memoryview(array.reshape(-1).view(np.uint8)))
        _add(archive, file, "version", b"3\n")


def _add(archive: zipfile.ZipFile, file: IO[bytes], name: str, data: Any) -> None:
    info = zipfile.ZipInfo(f"{_ROOT}/{name}", _DATE)
    large = len(data) >= zipfile.ZIP64_LIMIT
    # PyTorch maps records that start at multiples of 64, reached by a field of padding
    start = archive.start_dir + 30 + len(info.filename) + (20 if large else 0) + 4
    padding = -start % _ALIGNMENT
    info.extra = struct.pack("<HH", 0x4246, padding) + b"Z" * padding
    with archive.open(info, "w", force_zip64=large) as record:
        record.write(data)
