"""What stands for the tensors of a checkpoint: MindSpore's, on the bytes of the file."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.common import np_dtype

from ..device import Device, default_device
from ._errors import Budget
from ._source import Source
from ._types import Storage, check_bounds, contiguous

BFLOAT16 = np.dtype(np_dtype.bfloat16)
_UNLIKE = {"bool": np.bool_, "bfloat16": BFLOAT16}
_NAMES = (
    "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64".split()
)
NUMPY: dict[str, np.dtype] = {name: np.dtype(_UNLIKE.get(name, name)) for name in _NAMES}
MINDSPORE: dict[str, Any] = {name: getattr(mindspore, "bool_" if name == "bool" else name) for name in _NAMES}
# what a tensor costs beside its numbers, bytes
_OVERHEAD = 512


def name_of(array: np.ndarray) -> str:
    """Return PyTorch's name for the type of an array."""
    for name, kind in NUMPY.items():
        if array.dtype == kind:
            return name
    raise TypeError(f"a checkpoint holds no arrays of type {array.dtype}")


class Tensors:
    """Builds MindSpore's tensors, parameters, devices and types."""

    def storage(self, source: Source, start: int, size: int) -> np.ndarray:
        """Return bytes of the file; large pieces stay on disk until they are used."""
        return source.array(start, size)

    def tensor(
        self, storage: Storage, offset: Any, size: Any, stride: Any, *_rest: Any, budget: Budget, dtype: str | None = None
    ) -> Tensor:
        """Return the tensor of a size and stride (both counted in elements) at an offset of a storage."""
        kind = NUMPY[dtype or storage.dtype or ""]
        if storage.raw is None:
            check_bounds(offset, size, stride, None)
            return Tensor.from_numpy(np.zeros(0, kind))
        elements = storage.raw.size // kind.itemsize
        check_bounds(offset, size, stride, elements)
        budget.charge(_OVERHEAD)
        flat = storage.raw[: elements * kind.itemsize]
        count = math.prod(size)
        if count and contiguous(size, stride):
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

    def parameter(self, data: Tensor, requires_grad: Any = True, *_rest: Any) -> Parameter:
        """Return a parameter."""
        return Parameter(data, requires_grad=bool(requires_grad))

    def device(self, kind: str = "cpu", index: int | None = None) -> Device:
        """Return a device."""
        return default_device(str(kind), index)

    def dtype(self, name: str) -> Any:
        """Return a type by PyTorch's name."""
        return MINDSPORE[name]

    def dtype_name(self, dtype: Any) -> str:
        """Return PyTorch's name of a type."""
        return next(name for name, kind in MINDSPORE.items() if kind == dtype)


TENSORS = Tensors()
