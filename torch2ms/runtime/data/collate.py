"""Samples become batches: `default_collate` and `default_convert`. Runs in workers, so it uses no MindSpore operation.

https://pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from copy import copy
from typing import Any

import numpy as np
from mindspore import Tensor

from ._host import as_tensor, to_array, to_tensor

CollateMap = dict[Any, Callable[..., Any]]
_TEXT = (str, bytes)


def default_convert(data: Any) -> Any:
    """Turn the numpy arrays inside a sample into tensors and leave everything else."""
    if isinstance(data, (np.ndarray, np.generic)):
        return data if np.asarray(data).dtype.kind in "SUO" else to_tensor(data)
    if isinstance(data, _TEXT) or not isinstance(data, (Mapping, Sequence)):
        return data
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if _is_namedtuple(data):
        return type(data)(*(default_convert(value) for value in data))
    converted = [default_convert(value) for value in data]
    return converted if isinstance(data, tuple) else _sequence_like(data, converted)


def collate(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Any:
    """Collate with a function for each type of sample; containers are collated element by element."""
    first = batch[0]
    function = _function_for(first, collate_fn_map or {})
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: collate([row[key] for row in batch], collate_fn_map=collate_fn_map) for key in first}
        return _mapping_like(first, columns)
    if isinstance(first, Sequence) and not isinstance(first, _TEXT):
        rows = list(batch)
        if any(len(row) != len(first) for row in rows):
            raise RuntimeError("each element in list of batch should be of equal size")
        collated = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*rows)]
        if _is_namedtuple(first):
            return type(first)(*collated)
        return collated if isinstance(first, tuple) else _sequence_like(first, collated)
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack the samples of a batch: tensors and arrays along a new first axis, numbers to a tensor, text to a list."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def _function_for(sample: Any, functions: CollateMap) -> Callable[..., Any] | None:
    exact = functions.get(type(sample))
    if exact is not None:
        return exact
    return next((function for kind, function in functions.items() if isinstance(sample, kind)), None)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _mapping_like(original: Mapping[Any, Any], columns: dict[Any, Any]) -> Any:
    try:
        if isinstance(original, MutableMapping):
            filled = copy(original)
            filled.update(columns)
            return filled
        return type(original)(columns)  # type: ignore[call-arg]
    except TypeError:
        # a mapping type that neither copies nor builds from a dict
        return columns


def _sequence_like(original: Sequence[Any], values: list[Any]) -> Any:
    try:
        if isinstance(original, MutableSequence):
            filled = copy(original)
            for i, value in enumerate(values):
                filled[i] = value
            return filled
        return type(original)(values)  # type: ignore[call-arg]
    except TypeError:
        # a sequence type that builds from something else, such as range
        return values


def collate_tensor_fn(batch: Sequence[Tensor], *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Stack tensors of one shape."""
    return _stack([to_array(sample) for sample in batch])


def collate_numpy_array_fn(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Stack arrays of one shape and a numeric type."""
    if batch[0].dtype.kind in "SUO":
        raise TypeError(
            "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
            f"found {batch[0].dtype}"
        )
    return _stack([to_array(sample) if isinstance(sample, Tensor) else np.asarray(sample) for sample in batch])


def _stack(arrays: list[np.ndarray]) -> Tensor:
    shape = arrays[0].shape
    for i, array in enumerate(arrays):
        if array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 "
                f"and {list(array.shape)} at entry {i}"
            )
    return to_tensor(np.stack(arrays))


def collate_float_fn(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Collect Python floats, float64."""
    return to_tensor(np.array([float(value) for value in batch], np.float64))


def collate_int_fn(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Tensor:
    """Collect Python ints or bools, int64 or bool."""
    if any(isinstance(value, (str, bytes)) for value in batch):
        raise TypeError("default_collate: numbers and text in one batch")
    return as_tensor(list(batch))


def collate_str_fn(batch: Sequence[Any], *, collate_fn_map: CollateMap | None = None) -> Sequence[Any]:
    """Leave text as it is."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number): collate_numpy_array_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
