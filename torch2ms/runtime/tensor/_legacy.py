"""The constructors of PyTorch 0.x: `torch.FloatTensor(2, 3)`, `torch.LongTensor([1, 2])`, `x.new(...)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor
from mindspore.common import np_dtype

from .._default_dtype import get_default_dtype
from ..data._host import to_tensor
from ._convert import LEGACY


def make(dtype: Any, args: tuple[Any, ...]) -> Tensor:
    """Return a tensor of a size (filled with zeros, where PyTorch leaves it uninitialised) or of given data."""
    kind = np.dtype(np_dtype.bfloat16 if dtype == mindspore.bfloat16 else mindspore.dtype_to_nptype(dtype))
    if len(args) != 1 or isinstance(args[0], (int, np.integer)):
        return to_tensor(np.zeros([int(n) for n in args] if args else 0, kind))
    (data,) = args
    if isinstance(data, Tensor):
        return data if data.dtype == dtype else data.astype(dtype)
    if isinstance(data, tuple) and data and all(type(n) is int and n >= 0 for n in data):
        raise TypeError(
            f"a tensor from the tuple {data}: this may be a size or the elements; "
            "pass the sizes one by one, or the elements as a list"
        )
    if isinstance(data, (list, tuple)):
        data = [value.asnumpy() if isinstance(value, Tensor) else value for value in data]
    return to_tensor(np.array(data).astype(kind))


def constructor(name: str) -> Callable[..., Tensor]:
    """Return the constructor of a type, such as "FloatTensor"."""

    def construct(*args: Any, **options: Any) -> Tensor:
        data = (options["data"],) if "data" in options else args
        return make(LEGACY[name], data)

    construct.__name__ = name
    construct.__doc__ = f"Return a tensor of {LEGACY[name]}, of a size or of given data."
    construct.legacy_type = name  # type: ignore[attr-defined]
    return construct


def default_tensor(*args: Any, **options: Any) -> Tensor:
    """Return a tensor of the default type, of a size or of given data."""
    return make(get_default_dtype(), (options["data"],) if "data" in options else args)


class _OfEveryType(type):
    """A class that stands for MindSpore's tensors where it is asked for, and for the constructor where it is called."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return default_tensor(*args, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, Tensor)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is Tensor

    def __hash__(cls) -> int:
        return hash(Tensor)

    def __getattr__(cls, name: str) -> Any:
        return getattr(Tensor, name)


class AnyTensor(metaclass=_OfEveryType):
    """PyTorch's `torch.Tensor` as a value: makes tensors of the default type, is the class of all tensors, a type to cast to.

    https://docs.pytorch.org/docs/stable/tensors.html
    """

    legacy_type = "FloatTensor"


def new(x: Tensor, *args: Any, **options: Any) -> Tensor:
    """Return a tensor of the type of this one, of a size or of given data."""
    return make(x.dtype, (options["data"],) if "data" in options else args)
