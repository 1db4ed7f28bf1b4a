"""PyTorch's default initial values, drawn from the runtime's generator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

from .... import _backend, _rng
from ...._lower.assignment import assign
from ...._rng import Size
from ..._cpu.draws import drawn_in


@contextmanager
def numpy_untouched() -> Iterator[None]:
    """Keep the state of numpy's own generator, of which MindSpore's initial values take their seeds.

    A layer of PyTorch draws from PyTorch's generator alone, so the user's `numpy.random` goes on as if it were not there.
    """
    state = np.random.get_state()
    try:
        yield
    finally:
        np.random.set_state(state)


def fan_in(shape: Any) -> int:
    """Return how many inputs feed one output of a weight (outputs, inputs, *kernel)."""
    return math.prod(shape[1:])


def uniform(shape: Size, bound: float, dtype: Any = None) -> Tensor:
    """Draw from [-bound, bound)."""
    dtype = mindspore.float32 if dtype is None else dtype
    return Tensor(_rng.uniform(shape, -bound, bound, dtype=drawn_in(dtype)), dtype)


def normal(shape: Size, dtype: Any = None) -> Tensor:
    """Draw from the standard normal distribution."""
    dtype = mindspore.float32 if dtype is None else dtype
    return Tensor(_rng.normal(shape, dtype=drawn_in(dtype)), dtype)


def write(tensor: Tensor, value: Tensor) -> None:
    """Give a tensor other values, where it lies.

    After `set_data` a compiled function goes on reading where the tensor lay before.
    """
    if tensor.size:
        with _backend.grad_mode(False):
            assign(tensor, value)


def reset_weight_and_bias(weight: Parameter, bias: Parameter | None) -> None:
    """Draw a weight from kaiming_uniform(a=sqrt(5)) and its bias from the same bound, as PyTorch's layers start."""
    inputs = fan_in(weight.shape)
    bound = 1 / math.sqrt(inputs) if inputs > 0 else 0.0
    for parameter in (weight, bias):
        if parameter is not None and parameter.size:
            write(parameter, uniform(parameter.shape, bound, parameter.dtype))
