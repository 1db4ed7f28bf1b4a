"""Datasets that both libraries can read, and a common form for what their loaders give."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import torch
from mindspore import Tensor

Point = namedtuple("Point", "x name")


class Samples:
    """A map-style dataset of one kind of sample."""

    def __init__(self, kind: str, length: int = 11) -> None:
        self.kind = kind
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> Any:
        array = np.full((2, 3), i, np.float32)
        return {
            "array": array,
            "bytes image": np.full((3, 2), i, np.uint8),
            "int": i,
            "float": i / 2,
            "bool": i % 2 == 0,
            "str": f"n{i}",
            "bytes": b"%d" % i,
            "numpy scalar": np.float64(i),
            "tuple": (array, i),
            "list": [i, float(i)],
            "dict": {"image": array, "label": i, "meta": {"name": f"n{i}", "box": (i, i + 1)}},
            "ordered": OrderedDict(b=i, a=array),
            "namedtuple": Point(array, f"n{i}"),
            "large": np.full((100, 100), i, np.float32),
        }[self.kind]


KINDS = [
    "array", "bytes image", "int", "float", "bool", "str", "bytes", "numpy scalar", "tuple", "list", "dict", "ordered",
    "namedtuple", "large",
]  # fmt: skip


def common(value: Any) -> Any:
    """Return tensors of either library as (type, shape, numbers), containers with their type."""
    if isinstance(value, Tensor):
        array = value.asnumpy()
        return "tensor", str(array.dtype), array.shape, array.tolist()
    if isinstance(value, torch.Tensor):
        array = value.numpy()
        return "tensor", str(array.dtype), array.shape, array.tolist()
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), value.shape, value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, {key: common(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [common(inner) for inner in value]
    return value
