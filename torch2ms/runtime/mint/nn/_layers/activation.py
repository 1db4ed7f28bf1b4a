"""Activations as layers."""

from __future__ import annotations

from typing import Any

import mindspore
import mindspore.mint.nn as _mint
from mindspore import Tensor, ops

from ....nn.cell import Cell
from .. import functional as F
from . import initial

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class ReLU(Cell, _mint.ReLU):
    """max(input, 0)."""

    def construct(self, input: Tensor) -> Tensor:
        return F.relu(input)


class ReLU6(Cell, _mint.ReLU6):
    """The input clipped to [0, 6]."""

    def construct(self, input: Tensor) -> Tensor:
        return F.relu6(input)


class LeakyReLU(Cell):
    """The input above 0, negative_slope * input below."""

    def __init__(self, negative_slope: float = 0.01) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def construct(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope)


class PReLU(Cell, _mint.PReLU):
    """The input above 0, a learned multiple of it below."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__(num_parameters, init, mindspore.float32 if dtype is None else dtype)
        self.num_parameters, self.init = num_parameters, init

    def reset_parameters(self) -> None:
        """Restart the multiple."""
        initial.write(self.weight, ops.full_like(self.weight, self.init))

    def construct(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class RReLU(Cell):
    """The input above 0, below it a multiple drawn anew in training."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def construct(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training)


class ELU(Cell, _mint.ELU):
    """The input above 0, alpha * (exp(input) - 1) below."""

    def construct(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha)


class CELU(Cell):
    """The input above 0, alpha * (exp(input / alpha) - 1) below."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha)


class SELU(Cell, _mint.SELU):
    """The scaled ELU of self-normalizing networks."""

    def construct(self, input: Tensor) -> Tensor:
        return F.selu(input)


class GELU(Cell, _mint.GELU):
    """The Gaussian error linear unit."""

    def construct(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)


class SiLU(Cell, _mint.SiLU):
    """input * sigmoid(input)."""

    def construct(self, input: Tensor) -> Tensor:
        return F.silu(input)


class Mish(Cell, _mint.Mish):
    """input * tanh(softplus(input))."""

    def construct(self, input: Tensor) -> Tensor:
        return F.mish(input)


class Hardtanh(Cell, _mint.Hardtanh):
    """The input clipped to [min_val, max_val]."""

    def construct(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val)


class Hardswish(Cell, _mint.Hardswish):
    """input * clip(input + 3, 0, 6) / 6."""

    def construct(self, input: Tensor) -> Tensor:
        return F.hardswish(input)


class Hardsigmoid(Cell, _mint.Hardsigmoid):
    """clip(input / 6 + 1/2, 0, 1)."""

    def construct(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input)


class Hardshrink(Cell, _mint.Hardshrink):
    """The elements outside [-lambd, lambd], else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd)
        self.lambd = lambd

    def construct(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(Cell, _mint.Softshrink):
    """The elements moved towards 0 by `lambd`."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd)
        self.lambd = lambd

    def construct(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Softplus(Cell):
    """log(1 + exp(beta * input)) / beta."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def construct(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class Softsign(Cell):
    """input / (1 + |input|)."""

    def construct(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Cell):
    """input - tanh(input)."""

    def construct(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Sigmoid(Cell, _mint.Sigmoid):
    """The logistic function."""

    def construct(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class LogSigmoid(Cell, _mint.LogSigmoid):
    """log(sigmoid(input))."""

    def construct(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Cell, _mint.Tanh):
    """The hyperbolic tangent."""

    def construct(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class Threshold(Cell, _mint.Threshold):
    """The elements above the threshold, else a value."""

    def construct(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value)


class Softmax(Cell, _mint.Softmax):
    """exp(input) normalized along `dim`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class Softmin(Cell):
    """exp(-input) normalized along `dim`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Tensor:
        return F.softmax(-input, self.dim)


class Softmax2d(Cell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def construct(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


class LogSoftmax(Cell, _mint.LogSoftmax):
    """The logarithm of softmax along `dim`."""

    def construct(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class GLU(Cell, _mint.GLU):
    """The first half of `dim` times the sigmoid of the second half."""

    def construct(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)
