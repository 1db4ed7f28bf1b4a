"""Orthogonal polynomials by their recurrences, computed on the host in float64; PyTorch has no gradients of them either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor

from ..._backend import is_recording

__all__ = [
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
]

Step = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


def host(value: Any) -> np.ndarray:
    """Return a tensor or a number as float64."""
    return np.asarray(value.asnumpy() if isinstance(value, Tensor) else value, np.float64)


def on_device(values: np.ndarray, *like: Any) -> Tensor:
    """Return `values` in the floating dtype that the arguments promote to."""
    double = any(isinstance(v, Tensor) and v.dtype == mindspore.float64 for v in like)
    return Tensor(values, mindspore.float64 if double else mindspore.float32)


def refuse_gradient(name: str, *inputs: Any) -> None:
    """Raise where a gradient would have to pass through numbers of the host."""
    if is_recording() and any(isinstance(v, Tensor) and v.requires_grad for v in inputs):
        raise NotImplementedError(f"mint.special.{name} has no gradient")


def _polynomial(x: Any, n: Any, first: Callable[[np.ndarray], np.ndarray], step: Step) -> Tensor:
    """Return p_n(x), 0 for negative n; `step(x, p_k, p_{k-1}, k)` gives p_{k+1}."""
    points, degree = np.broadcast_arrays(host(x), np.trunc(host(n)))
    before, now = np.ones_like(points), first(points)
    result = np.where(degree == 0, before, 0.0)
    for k in range(1, int(degree.max(initial=0)) + 1):
        result = np.where(degree == k, now, result)
        before, now = now, step(points, now, before, k)
    return on_device(result, x, n)


def _chebyshev(name: str, slope: int, offset: int, shifted: bool) -> Callable[[Any, Any], Tensor]:
    def polynomial(input: Any, n: Any) -> Tensor:
        refuse_gradient(name, input)
        y = (lambda x: 2 * x - 1) if shifted else (lambda x: x)
        return _polynomial(input, n, lambda x: slope * y(x) + offset, lambda x, p, q, k: 2 * y(x) * p - q)

    polynomial.__name__ = name
    polynomial.__doc__ = "Return the polynomial of degree `n`."
    return polynomial


chebyshev_polynomial_t = _chebyshev("chebyshev_polynomial_t", 1, 0, False)
chebyshev_polynomial_u = _chebyshev("chebyshev_polynomial_u", 2, 0, False)
chebyshev_polynomial_v = _chebyshev("chebyshev_polynomial_v", 2, -1, False)
chebyshev_polynomial_w = _chebyshev("chebyshev_polynomial_w", 2, 1, False)
shifted_chebyshev_polynomial_t = _chebyshev("shifted_chebyshev_polynomial_t", 1, 0, True)
shifted_chebyshev_polynomial_u = _chebyshev("shifted_chebyshev_polynomial_u", 2, 0, True)
shifted_chebyshev_polynomial_v = _chebyshev("shifted_chebyshev_polynomial_v", 2, -1, True)
shifted_chebyshev_polynomial_w = _chebyshev("shifted_chebyshev_polynomial_w", 2, 1, True)


def hermite_polynomial_h(input: Any, n: Any) -> Tensor:
    """Return the physicist's Hermite polynomial of degree `n`."""
    refuse_gradient("hermite_polynomial_h", input)
    return _polynomial(input, n, lambda x: 2 * x, lambda x, p, q, k: 2 * x * p - 2 * k * q)


def hermite_polynomial_he(input: Any, n: Any) -> Tensor:
    """Return the probabilist's Hermite polynomial of degree `n`."""
    refuse_gradient("hermite_polynomial_he", input)
    return _polynomial(input, n, lambda x: x, lambda x, p, q, k: x * p - k * q)


def laguerre_polynomial_l(input: Any, n: Any) -> Tensor:
    """Return the Laguerre polynomial of degree `n`."""
    refuse_gradient("laguerre_polynomial_l", input)
    return _polynomial(input, n, lambda x: 1 - x, lambda x, p, q, k: ((2 * k + 1 - x) * p - k * q) / (k + 1))


def legendre_polynomial_p(input: Any, n: Any) -> Tensor:
    """Return the Legendre polynomial of degree `n`."""
    refuse_gradient("legendre_polynomial_p", input)
    return _polynomial(input, n, lambda x: x, lambda x, p, q, k: ((2 * k + 1) * x * p - k * q) / (k + 1))
