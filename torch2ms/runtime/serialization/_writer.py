"""Writes checkpoints that `torch.load(weights_only=True)` reads: a zip archive of one pickle and the storages."""

from __future__ import annotations

import argparse
import io
import pathlib
import pickle
import types
from collections import OrderedDict
from typing import IO, Any

import numpy as np
from mindspore import Parameter, Tensor
from mindspore.nn import Cell

from ..device import Device
from . import _builders
from ._pickler import TensorPickler, write_archive
from ._tensors import MINDSPORE, name_of

# what the pickle may hold beside tensors; numpy's types only PyTorch with weights_only=False reads back
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, slice, range,
    argparse.Namespace, types.SimpleNamespace, np.ndarray, np.generic, np.dtype, pathlib.PurePath,
)  # fmt: skip


class _Pickler(TensorPickler):
    """Pickles MindSpore's tensors."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self.storages: list[np.ndarray] = []
        self._keys: dict[tuple[int, int], str] = {}
        self._of_states: set[int] = set()

    def save(self, value: Any, save_persistent_id: bool = True) -> None:
        """Write one value."""
        if isinstance(value, Tensor):
            self._save_tensor(value)
        elif isinstance(value, Device):
            self._save_device(value)
        elif (name := _type_name(value)) is not None:
            self.write_name("torch", name)
        else:
            _check(value)
            if isinstance(value, dict):
                self._of_states |= _plain_in(value)
            super().save(value, save_persistent_id)

    def _save_device(self, device: Device) -> None:
        self.write_name("torch", "device")
        super().save(("cpu",) if device == "cpu" else ("cuda", device.index or 0))
        self.write(pickle.REDUCE)

    def _save_tensor(self, tensor: Tensor) -> None:
        remembered = self.memo.get(id(tensor))
        if remembered is not None:
            self.write(self.get(remembered[0]))
            return
        is_parameter = isinstance(tensor, Parameter) and id(tensor) not in self._of_states
        if is_parameter:
            self.write_name("torch._utils", "_rebuild_parameter")
            self.write(pickle.MARK)
        array = np.ascontiguousarray(tensor.asnumpy()).reshape(tensor.shape)
        self.write_tensor(name_of(array), self._key(array), tuple(array.shape))
        if is_parameter:
            super().save(bool(tensor.requires_grad))
            self.write_no_hooks()
            self.write(pickle.TUPLE + pickle.REDUCE)
        self.memoize(tensor)

    def _key(self, array: np.ndarray) -> str:
        """Return the number of the array's storage; tensors on the same memory share one."""
        place = array.__array_interface__["data"][0], array.nbytes
        if array.nbytes == 0 or place not in self._keys:
            self._keys[place] = str(len(self.storages))
            # kept, so that no other array can come to lie at the same address
            self.storages.append(array)
        return self._keys[place]


def _plain_in(values: dict[Any, Any]) -> set[int]:
    """The ids of the Parameters in the state of a model or of an optimizer, which PyTorch writes as plain tensors."""
    held = {k: v for k, v in values.items() if isinstance(v, Parameter)}
    ordered = isinstance(values, OrderedDict)
    return {id(v) for k, v in held.items() if ordered or "." in str(k) or not v.requires_grad}


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
    pieces = ((array.nbytes, [memoryview(array.reshape(-1).view(np.uint8))]) for array in pickler.storages)
    write_archive(file, stream.getbuffer(), pieces)
