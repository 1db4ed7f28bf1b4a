"""Initial values of weights, drawn and written in place as torch.nn.init does.

Every function ending in `_` fills its tensor (a Parameter, a tensor, or a slice of one) and returns it.
https://docs.pytorch.org/docs/stable/nn.init.html
"""

from __future__ import annotations

import math
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

from .. import _rng
from .._lower.assignment import assign
from ..grad_mode import no_grad

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of a nonlinearity; `param` is the slope of leaky_relu.

    Raises:
        ValueError: the nonlinearity is unknown or the slope is no number.
    """
    if nonlinearity in _LINEAR:
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from [a, b)."""
    return _fill(tensor, _rng.uniform(tuple(tensor.shape), a, b, generator, _drawn(tensor)))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from the normal distribution."""
    return _fill(tensor, _rng.normal(tuple(tensor.shape), mean, std, generator, _drawn(tensor)))


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Draw from the normal distribution cut off at a and b: what falls outside is drawn again."""
    low, high = (math.erf((bound - mean) / (std * math.sqrt(2.0))) for bound in (a, b))
    draw = _from_normal if (high - low) / 2 > 0.3 else _from_uniform
    dtype = _drawn(tensor)
    return _fill(tensor, draw(tuple(tensor.shape), mean, std, dtype(a), dtype(b), generator))


def _from_normal(size: tuple[int, ...], mean: float, std: float, a: Any, b: Any, generator: Any) -> np.ndarray:
    values = _rng.normal(size, mean, std, generator, type(a))
    while (outside := (values < a) | (values > b)).any():
        values = np.where(outside, _rng.normal(size, mean, std, generator, type(a)), values)
    return values


def _from_uniform(size: tuple[int, ...], mean: float, std: float, a: Any, b: Any, generator: Any) -> np.ndarray:
    """Draw evenly and keep a value with the probability that its density has of the highest."""
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    values, pending = np.zeros(size, type(a)), np.ones(size, bool)
    while pending.any():
        drawn = _rng.uniform(size, a, b, generator, type(a))
        with np.errstate(divide="ignore"):
            chance = np.log(_rng.uniform(size, 0.0, 1.0, generator, type(a)))
        values = np.where(pending, drawn, values)
        pending = pending & (chance > -0.5 * ((drawn - mean) / std) ** 2 - highest)
    return values


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a number."""
    return _fill(tensor, np.full(tuple(tensor.shape), val))


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, np.eye(*tensor.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight so that it passes its input on."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(tuple(tensor.shape))
    centre = tuple(n // 2 for n in tensor.shape[2:])
    per_group = tensor.shape[0] // groups
    for g in range(groups):
        for d in range(min(per_group, tensor.shape[1])):
            place = (g * per_group + d, d, *centre)
            values[place] = 1
    return _fill(tensor, values)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from [-bound, bound) with bound = gain * sqrt(6 / (fan_in + fan_out))."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw with the standard deviation gain * sqrt(2 / (fan_in + fan_out))."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Draw from [-bound, bound) with bound = gain * sqrt(3 / fan)."""
    if 0 in tensor.shape:
        return tensor
    bound = math.sqrt(3.0) * calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Draw with the standard deviation gain / sqrt(fan)."""
    if 0 in tensor.shape:
        return tensor
    return normal_(
        tensor, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)), generator
    )


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a (semi) orthogonal matrix; further dimensions count as columns."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.size == 0:
        return tensor
    rows = tensor.shape[0]
    columns = tensor.size // rows
    drawn = np.asarray(_rng.normal((rows, columns), 0.0, 1.0, generator, _drawn(tensor)), _drawn(tensor))
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q = q * np.sign(np.diag(r))
    return _fill(tensor, (q.T if rows < columns else q).reshape(tuple(tensor.shape)) * gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Draw a matrix from the normal distribution and set the share `sparsity` of each column to 0."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    values = np.array(_rng.normal((rows, columns), 0.0, std, generator, _drawn(tensor)))
    for column in range(columns):
        values[_rng.permutation(rows)[:zeros], column] = 0
    return _fill(tensor, values)


def _drawn(tensor: Tensor) -> Any:
    """Return numpy's type of the numbers that PyTorch draws for a tensor."""
    return np.float64 if tensor.dtype == mindspore.float64 else np.float32


def _fill(tensor: Tensor, values: Any) -> Tensor:
    dtype = _drawn(tensor)
    # shaped in numpy: a reshaped tensor is a view, and nothing can be assigned to a Parameter that holds one
    made = Tensor(np.asarray(values, dtype).reshape(tuple(tensor.shape)), tensor.dtype)
    with no_grad():
        if isinstance(tensor, Parameter):
            # not set_data: a compiled function goes on reading where the parameter lay before
            assign(tensor, made)
        elif made.size:
            tensor[()] = made
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out
