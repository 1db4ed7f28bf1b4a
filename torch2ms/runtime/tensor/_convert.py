"""Types and places with the arguments of PyTorch's methods. Places are dropped: MindSpore moves tensors by itself."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.nn import Cell

from .. import _backend, mint
from ..device import Device
from ._guard import of_cells

# PyTorch's names of tensor types
LEGACY = {
    "FloatTensor": mindspore.float32, "DoubleTensor": mindspore.float64, "HalfTensor": mindspore.float16,
    "BFloat16Tensor": mindspore.bfloat16, "LongTensor": mindspore.int64, "IntTensor": mindspore.int32,
    "ShortTensor": mindspore.int16, "CharTensor": mindspore.int8, "ByteTensor": mindspore.uint8,
    "BoolTensor": mindspore.bool_,
}  # fmt: skip
_FLOATS = (mindspore.float16, mindspore.float32, mindspore.float64, mindspore.bfloat16)


def as_dtype(value: Any) -> Any:
    """Return the type that an argument of `type` or `to` names, None for what is no type."""
    if isinstance(value, Tensor):
        return value.dtype
    name = getattr(value, "legacy_type", None)
    if name is None and isinstance(value, str) and not isinstance(value, Device):
        name = value.rpartition(".")[2]
    if name in LEGACY:
        return LEGACY[name]
    return None if value is None or isinstance(value, (str, int, Device, bool)) else value


def dtype_text(dtype: Any) -> str:
    """Return the text of a data type as PyTorch writes it; of anything else, say numpy's types, its own."""
    return f"torch.{dtype}".lower() if isinstance(dtype, mindspore.Type) else str(dtype)


def _target(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    wanted = [as_dtype(value) for value in (*args, kwargs.get("dtype"), kwargs.get("other"))]
    return next((dtype for dtype in wanted if dtype is not None), None)


def to(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the tensor in another type; a device is accepted and dropped."""
    dtype = _target(args, kwargs)
    if dtype is not None and dtype != x.dtype:
        return x.astype(dtype)
    return mint.clone(x) if kwargs.get("copy") else x


def _cast(dtype: Any) -> Any:
    def cast(x: Tensor, memory_format: Any = None) -> Tensor:
        return x if x.dtype == dtype else x.astype(dtype)

    cast.__doc__ = f"Return the tensor as {dtype}."
    return cast


CASTS = {
    "float": _cast(mindspore.float32), "double": _cast(mindspore.float64), "half": _cast(mindspore.float16),
    "bfloat16": _cast(mindspore.bfloat16), "long": _cast(mindspore.int64), "int": _cast(mindspore.int32),
    "short": _cast(mindspore.int16), "char": _cast(mindspore.int8), "byte": _cast(mindspore.uint8),
    "bool": _cast(mindspore.bool_),
}  # fmt: skip


def type(x: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return PyTorch's name of the tensor's type, or the tensor in another type."""
    if dtype is None:
        name = next(name for name, kind in LEGACY.items() if kind == x.dtype)
        return f"torch.{name}"
    return to(x, dtype)


def type_as(x: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the type of another one."""
    return to(x, other.dtype)


def contiguous(x: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself where it is contiguous; MindSpore's method copies views that are."""
    return x if x.is_contiguous() else x.contiguous()


def stay(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the object: MindSpore moves tensors by itself."""
    return x


def numpy(x: Tensor, *, force: bool = False) -> np.ndarray:
    """Return the elements as an array, on the CPU one that shares the memory."""
    if not force and _backend.requires_grad(x) and not isinstance(x, mindspore.Parameter):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return x.asnumpy()


def div(x: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return the quotient, rounded towards zero ("trunc") or down ("floor") if wanted."""
    return mint.div(x, other) if rounding_mode is None else mint.div(x, other, rounding_mode=rounding_mode)


def add(x: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return x + alpha * other."""
    return x + other if alpha == 1 else x + other * alpha


def eq(x: Tensor, other: Any) -> Tensor:
    """Return where the elements are equal."""
    return mint.eq(x, other)


def tanh(x: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return mint.tanh(x)


def relu(x: Tensor) -> Tensor:
    """Return the positive part."""
    return mint.nn.functional.relu(x)


def item(x: Tensor) -> Any:
    """Return the only element as a Python number."""
    return x.item()


def tolist(x: Tensor) -> Any:
    """Return the elements as Python numbers in lists."""
    return x.tolist() if x.ndim else x.item()


def requires_grad_(x: Tensor, requires_grad: bool = True) -> Tensor:
    """Set whether a gradient of the leaf is recorded, and return it."""
    x.requires_grad = requires_grad
    return x


def as_leaf(x: Tensor, requires_grad: bool = True, name: str | None = None) -> Tensor:
    """A Parameter of the tensor, so that gradients can be asked for; a tensor that hangs on others stays what it is."""
    if isinstance(x, Parameter) or _backend.is_recording() and _backend.requires_grad(x) and not _backend.is_leaf(x):
        if requires_grad is not True or isinstance(x, Parameter):
            x.requires_grad = requires_grad
        return x
    return Parameter(x, name=name, requires_grad=requires_grad)


def is_leaf(x: Tensor) -> bool:
    """Tell whether no operation that is being differentiated made the tensor."""
    return bool(_backend.is_leaf(x))


def new_tensor(x: Tensor, data: Any, *, dtype: Any = None, **_options: Any) -> Tensor:
    """Return a tensor of the data in the type of this one."""
    return mindspore.tensor(data.asnumpy() if isinstance(data, Tensor) else data, dtype=dtype or x.dtype)


@of_cells("to")
def _cell_to(cell: Cell, *args: Any, **kwargs: Any) -> Cell:
    dtype = _target(args, kwargs)
    if dtype is None:
        return cell
    if dtype not in _FLOATS:
        raise TypeError(f"Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
    return cell.to(dtype)


@of_cells("type")
def _cell_type(cell: Cell, dst_type: Any) -> Cell:
    return _cell_to(cell, as_dtype(dst_type))


def _to_float(name: str) -> None:
    @of_cells(name)
    def convert(cell: Cell) -> Cell:
        own = getattr(cell, name, None)
        return own() if callable(own) else cell.to(CASTS_OF_CELLS[name])


CASTS_OF_CELLS = {
    "float": mindspore.float32, "double": mindspore.float64, "half": mindspore.float16, "bfloat16": mindspore.bfloat16,
}  # fmt: skip
for _name in CASTS_OF_CELLS:
    _to_float(_name)
for _name in ("cpu", "cuda"):
    of_cells(_name)(stay)
