"""What the functions of matrices share."""

from __future__ import annotations

import mindspore
from mindspore import Tensor, ops

from ..._device_target import IS_CPU
from .. import _device as mint


def wide(x: Tensor) -> Tensor:
    """Return float32 as float64 where the device has it: the kernels lose half of the digits."""
    return x.astype(mindspore.float64) if IS_CPU and x.dtype == mindspore.float32 else x


def adjoint(x: Tensor) -> Tensor:
    return mint.transpose(x, -2, -1)


def eye(x: Tensor, n: int) -> Tensor:
    return mint.eye(n, n, x.dtype)


def symmetric_of(A: Tensor, upper: bool = False) -> Tensor:
    """Return the symmetric matrix of one triangle, with the symmetric gradient that PyTorch gives."""
    half = mint.triu(A) if upper else mint.tril(A)
    strict = mint.triu(A, 1) if upper else mint.tril(A, -1)
    whole = (A + adjoint(A)) / 2
    return ops.stop_gradient(half + adjoint(strict)) + whole - ops.stop_gradient(whole)
