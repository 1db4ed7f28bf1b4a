"""Tensors as numpy arrays and back, without running a MindSpore operation.

Creating a tensor from an array and reading it as one are the two things that also work in a worker process.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor

from .._default_dtype import default_numpy


def to_array(tensor: Tensor) -> np.ndarray:
    """Return the tensor's numbers; on the CPU the array shares its memory. bfloat16 comes as MindSpore's numpy type."""
    return np.asarray(tensor.asnumpy())


def to_tensor(array: Any) -> Tensor:
    """Return a tensor on the array's memory where the layout allows it, else on a copy."""
    array = np.asarray(array)
    if not array.flags.writeable:
        array = array.copy()
    return Tensor.from_numpy(array)


def as_tensor(value: Any) -> Tensor:
    """Return a tensor for a number, a sequence of numbers, an array or a tensor, with PyTorch's default types."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return to_tensor(value)
    array = np.asarray(value)
    # Python floats become PyTorch's default type, numpy has only float64 for them
    return to_tensor(array.astype(default_numpy()) if array.dtype == np.float64 else array)
