"""Tensors from Python sequences that may hold numpy's numbers: the data type is PyTorch's, not that of Python's numbers.

https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from .._default_dtype import default_complex, default_numpy, get_default_dtype

_PYTHON = {bool: np.dtype(np.bool_), int: np.dtype(np.int64)}


def from_data(data: Any, dtype: Any = None) -> Tensor:
    """Return a tensor of the numbers in `data`: nested sequences of numbers, arrays or tensors, or one of these.

    `[numpy.float64(1)]` gives float64 and `[1.0]` float32, as in PyTorch; MindSpore gives float32 for both.
    """
    if dtype is not None:
        return mindspore.tensor(_lists(data), dtype=dtype)
    if isinstance(data, (str, Tensor, np.ndarray)) or not isinstance(data, Sequence):
        return _of_numbers(data, [data])
    leaves = list(_leaves(data))
    if any(isinstance(leaf, Tensor) for leaf in leaves):
        return mindspore.tensor(list(data))
    if not any(isinstance(leaf, (np.generic, np.ndarray)) for leaf in leaves):
        return _of_numbers(_lists(data), leaves)
    return mindspore.tensor(np.array(_lists(data), dtype=reduce(_promoted, map(_dtype, leaves))))


def as_tensor(data: Any, dtype: Any = None) -> Tensor:
    """Return `data` itself where it is a tensor of that type, a tensor on the memory of an array, else a new tensor."""
    if isinstance(data, Tensor):
        return data if dtype is None or data.dtype == dtype else data.astype(dtype)
    if isinstance(data, np.ndarray) and dtype is None:
        return mindspore.from_numpy(data)
    return from_data(data, dtype)


def _of_numbers(data: Any, leaves: list[Any]) -> Tensor:
    """A tensor of Python's numbers, of the default type where one of them is a float."""
    kinds = set(map(type, leaves))
    if complex in kinds:
        return mindspore.tensor(data, dtype=default_complex())
    return mindspore.tensor(data, dtype=get_default_dtype()) if float in kinds else mindspore.tensor(data)


def _leaves(data: Sequence[Any]) -> Iterator[Any]:
    for item in data:
        if isinstance(item, Sequence) and not isinstance(item, str):
            yield from _leaves(item)
        else:
            yield item


def _lists(data: Any) -> Any:
    """The data with lists in the place of all sequences."""
    return [_lists(item) for item in data] if isinstance(data, Sequence) and not isinstance(data, str) else data


def _dtype(leaf: Any) -> np.dtype[Any]:
    if isinstance(leaf, (np.generic, np.ndarray)):
        return leaf.dtype
    return np.dtype(default_numpy()) if type(leaf) is float else _PYTHON.get(type(leaf), np.asarray(leaf).dtype)


def _promoted(one: np.dtype[Any], other: np.dtype[Any]) -> np.dtype[Any]:
    """PyTorch's promotion: of an integer and a floating-point type the latter, however small."""
    floats = [dtype for dtype in (one, other) if dtype.kind in "fc"]
    return floats[0] if len(floats) == 1 else np.promote_types(one, other)
