"""Products and powers of matrices, and their exponential."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor, ops

from .. import _device as mint
from .._linalg import inv
from ._matrices import eye, wide

__all__ = ["matrix_exp", "matrix_power", "multi_dot"]


def multi_dot(tensors: Any) -> Tensor:
    """Return the product of a chain of matrices; the first and the last may be vectors."""
    result = tensors[0]
    for tensor in tensors[1:]:
        result = mint.matmul(result, tensor)
    return result


def matrix_power(A: Tensor, n: int) -> Tensor:
    """Return the matrix multiplied with itself `n` times; negative powers are those of the inverse."""
    if n == 0:
        return mint.broadcast_to(eye(A, A.shape[-1]), A.shape) * 1
    base, left = (A, n) if n > 0 else (inv(A), -n)
    result = None
    while left:
        if left % 2:
            result = base if result is None else mint.matmul(result, base)
        left //= 2
        base = mint.matmul(base, base) if left else base
    return result


def matrix_exp(A: Tensor) -> Tensor:
    """Return the matrix exponential, by scaling, a Taylor series and squaring."""
    x = wide(A)
    if A.size == 0:
        return mint.clone(A)
    largest = float(ops.stop_gradient(mint.amax(mint.sum(mint.abs(x), -2))).asnumpy())
    squarings = max(0, math.ceil(math.log2(largest)) + 1) if largest > 0 else 0
    scaled = x / 2.0**squarings
    term = mint.broadcast_to(eye(x, A.shape[-1]), A.shape) * 1
    total = term
    for k in range(1, 19):
        term = mint.matmul(term, scaled) / k
        total = total + term
    for _ in range(squarings):
        total = mint.matmul(total, total)
    return total.astype(A.dtype)
