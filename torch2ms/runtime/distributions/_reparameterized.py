"""Samples of the gamma and Dirichlet distributions that carry a gradient to the concentrations.

The gradient is the one that PyTorch defines, of first order only: a second derivative raises.
https://docs.pytorch.org/docs/stable/distributions.html#pathwise-derivative
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mindspore import Tensor

from .. import _rng, mint
from ..function import Function, refuse_second_derivative
from ._base import host, numpy_type
from ._implicit import beta_derivative, gamma_derivative


def standard_gamma(concentration: Tensor) -> Tensor:
    """Draw one gamma number of rate 1 for each concentration."""
    drawn: Tensor = _Gamma.apply(concentration)
    return drawn


def dirichlet(concentration: Tensor) -> Tensor:
    """Draw probabilities along the last dimension."""
    drawn: Tensor = _Dirichlet.apply(concentration)
    return drawn


def _draw(concentration: Tensor) -> np.ndarray:
    """Draw in float64, so that what small concentrations give is rounded once."""
    # a stream of numpy's own, started from the runtime's
    source = np.random.RandomState(int(_rng.integers(0, 2**32, ())))
    return np.maximum(source.standard_gamma(host(concentration).astype(np.float64)), _least(concentration))


def _least(concentration: Tensor) -> float:
    return float(np.finfo(numpy_type(concentration)).tiny)


class _Gamma(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        drawn = Tensor(np.asarray(_draw(concentration), numpy_type(concentration)))
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        concentration, drawn = ctx.saved_tensors
        rate = gamma_derivative(host(concentration), host(drawn))
        return refuse_second_derivative(grad * Tensor(rate, grad.dtype), grad, concentration)


class _Dirichlet(Function):
    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        numbers = _draw(concentration)
        shares = np.maximum(numbers / numbers.sum(-1, keepdims=True), _least(concentration))
        drawn = Tensor(np.asarray(shares, numpy_type(concentration)))
        ctx.save_for_backward(concentration, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        concentration, drawn = ctx.saved_tensors
        a = host(concentration).astype(np.float64)
        rate = beta_derivative(a, a.sum(-1, keepdims=True) - a, host(drawn))
        inner = grad - mint.sum(drawn * grad, -1, True)
        return refuse_second_derivative(inner * Tensor(rate, grad.dtype), grad, concentration)
