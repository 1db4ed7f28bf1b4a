"""Functions that choose among equal elements: PyTorch leaves open which one, so any index of an equal element is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from mindspore import Tensor

OPEN = {"kthvalue", "topk", "mode", "sort", "argsort", "msort", "max", "min", "median", "nanmedian"}


def adopted(source: torch.Tensor, theirs: Any, ours: Any) -> Any:
    """Our results with PyTorch's indices in place of our own where both lead to the same elements of `source`."""
    if isinstance(theirs, torch.Tensor):
        return _index(source, theirs, ours)
    return [_index(source, t, m) for t, m in zip(theirs, ours)] if len(theirs) == len(ours) else ours


def _index(source: torch.Tensor, theirs: Any, ours: Any) -> Any:
    if not isinstance(ours, Tensor) or theirs.dtype != torch.int64 or tuple(theirs.shape) != tuple(ours.shape):
        return ours
    values, wanted, found = source.detach().numpy(), theirs.numpy(), ours.asnumpy()
    if not source.ndim or str(ours.dtype) != "Int64":
        return ours
    for axis in range(source.ndim):
        if _same(values, wanted, found, axis):
            return Tensor(np.array(wanted))
    return ours


def _same(values: np.ndarray, wanted: np.ndarray, found: np.ndarray, axis: int) -> bool:
    """Whether both indices along an axis lead to equal values; the axis may have been dropped."""
    if wanted.ndim == values.ndim - 1:
        wanted, found = np.expand_dims(wanted, axis), np.expand_dims(found, axis)
    outside = found.size and (found.min() < 0 or found.max() >= values.shape[axis])
    if outside or wanted.ndim != values.ndim or wanted.max(initial=0) >= values.shape[axis]:
        return False
    try:
        a, b = np.take_along_axis(values, wanted, axis), np.take_along_axis(values, found, axis)
    except (IndexError, ValueError):
        return False
    return bool(np.array_equal(a, b, equal_nan=values.dtype.kind == "f"))
