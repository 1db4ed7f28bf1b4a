"""`torch.utils.tensorboard` by tensorboardX, which knows no MindSpore tensors: they are handed on as numpy arrays.

https://tensorboardx.readthedocs.io
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np
import tensorboardX
from mindspore import Tensor


def _host(value: Any) -> Any:
    if isinstance(value, Tensor):
        array = value.asnumpy()
        # numpy has no name for bfloat16 that tensorboardX knows
        return array.astype(np.float32) if str(array.dtype) == "bfloat16" else array
    if isinstance(value, Mapping):
        return {key: _host(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_host(inner) for inner in value)
    return value


class SummaryWriter(tensorboardX.SummaryWriter):
    """Writes what TensorBoard shows."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return _with_arrays(found) if name.startswith("add_") and name != "add_graph" else found

    def add_graph(self, model: Any, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuse: TensorBoard's graph of a model comes from PyTorch's tracer."""
        raise NotImplementedError("SummaryWriter.add_graph draws a PyTorch model; MindSpore's graphs are shown by MindInsight")


def _with_arrays(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def write(*args: Any, **kwargs: Any) -> Any:
        return method(*(_host(value) for value in args), **{name: _host(value) for name, value in kwargs.items()})

    return write
