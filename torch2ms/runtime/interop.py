"""The border to PyTorch: tensors of one library as tensors of the other, inside containers too.

A program can keep a data pipeline or a metric in PyTorch while its model is converted. On the CPU the two tensors share
their memory. A gradient does not cross: a tensor that takes part in one has to be detached first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.common import np_dtype

from . import _backend


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError("tensors go to and from PyTorch only where PyTorch is installed") from error
    return torch


def _map(value: Any, wanted: type, convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, wanted):
        return convert(value)
    if isinstance(value, Mapping):
        converted = {key: _map(inner, wanted, convert) for key, inner in value.items()}
        return converted if type(value) is dict else type(value)(converted)  # type: ignore[call-arg]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_map(inner, wanted, convert) for inner in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_map(inner, wanted, convert) for inner in value)
    return value


def _to_torch(tensor: Tensor) -> Any:
    torch = _torch()
    if _backend.requires_grad(tensor) and not isinstance(tensor, Parameter):
        raise RuntimeError("a gradient does not cross to PyTorch: detach the tensor first")
    array = np.asarray(tensor.asnumpy())
    if tensor.dtype == mindspore.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _from_torch(tensor: Any) -> Tensor:
    torch = _torch()
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError("a gradient does not cross from PyTorch: detach the tensor first")
    if tensor.layout is not torch.strided:
        raise TypeError(f"a tensor of layout {tensor.layout} has no counterpart: make it dense first")
    # numpy has no conjugated or negated views
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if plain.dtype == torch.bfloat16:
        return Tensor.from_numpy(plain.contiguous().view(torch.int16).numpy().view(np_dtype.bfloat16))
    return Tensor.from_numpy(plain.numpy())


def to_torch(value: Any) -> Any:
    """Return a MindSpore tensor, or all of them inside containers, as PyTorch tensors on the CPU."""
    return _map(value, Tensor, _to_torch)


def from_torch(value: Any) -> Any:
    """Return a PyTorch tensor, or all of them inside containers, as MindSpore tensors."""
    return _map(value, _torch().Tensor, _from_torch)


def convert_tensor(value: Any) -> Any:
    """Return what came over the border for converted code: PyTorch tensors become MindSpore's, the rest stays."""
    return from_torch(value)
