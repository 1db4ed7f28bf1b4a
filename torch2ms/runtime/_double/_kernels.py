"""Functions whose kernels refuse float64 or compute it with the digits of float32, composed or refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor, ops

from .. import _backend, mint
from ._operands import is_whole, number

Function = Callable[..., Any]


def lerp(function: Function) -> Function:
    @functools.wraps(function)
    def call(input: Tensor, end: Tensor, weight: Any) -> Any:
        if input.dtype != mindspore.float64:
            return function(input, end, weight)
        # the kernel has no float64; of two formulas PyTorch takes the one that meets the nearer end
        low, high = input + weight * (end - input), end - (end - input) * (1 - weight)
        near = weight < 0.5 if isinstance(weight, Tensor) else bool(weight < 0.5)
        return mint.where(near, low, high) if isinstance(near, Tensor) else low if near else high

    return call


def product(function: Function, combine: str) -> Function:
    @functools.wraps(function)
    def call(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
        if number(value, input.dtype) is value:
            return function(input, tensor1, tensor2, value=value)
        return input + getattr(mint, combine)(tensor1, tensor2) * value

    return call


def divided(function: Function, exact: Function, rounding: str | None = None) -> Function:
    """A division with remainder, or its quotient: the kernels divide and round, and 3.7 // 0.1 is 37 for 36.

    `exact` is numpy's function, which computes as PyTorch does, for calls with this `rounding_mode`.
    """

    @functools.wraps(function)
    def call(input: Any, other: Any, **kwargs: Any) -> Any:
        wide = any(isinstance(x, Tensor) and x.dtype == mindspore.float64 for x in (input, other))
        if not wide or kwargs.get("rounding_mode") != rounding:
            return function(input, other, **kwargs)
        a, b = (x if isinstance(x, Tensor) else Tensor(x, mindspore.float64) for x in (input, other))
        a, b = a.astype(mindspore.float64), b.astype(mindspore.float64)
        x, y = a.asnumpy(), b.asnumpy()
        with np.errstate(all="ignore"):
            result = Tensor(np.asarray(exact(x, y)))
            if exact is np.floor_divide or not _backend.is_recording():
                return result
            # as in PyTorch's formula of the gradient
            whole = Tensor(np.asarray(np.trunc(x / y) if exact is np.fmod else np.floor_divide(x, y)))
        # the gradient of input - quotient * other, where the quotient is a constant
        return result + (a - ops.stop_gradient(a)) - whole * (b - ops.stop_gradient(b))

    return call


def diff(function: Function) -> Function:
    @functools.wraps(function)
    def call(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
        if input.dtype != mindspore.float64:
            return function(input, n, dim, prepend, append)
        # the function refuses float64
        x = mint.cat([part for part in (prepend, input, append) if part is not None], dim)
        for _ in range(n):
            size = x.shape[dim]
            x = mint.narrow(x, dim, 1, size - 1) - mint.narrow(x, dim, 0, size - 1) if size else x
        return x

    return call


def nan_to_num(function: Function) -> Function:
    @functools.wraps(function)
    def call(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
        if input.dtype != mindspore.float64:
            return function(input, nan, posinf, neginf)
        # the kernel refuses float64
        limit = float(np.finfo(np.float64).max)
        low, high = -limit if neginf is None else neginf, limit if posinf is None else posinf
        x = mint.where(input == float("inf"), high, mint.where(input == float("-inf"), low, input))
        return mint.where(input != input, 0.0 if nan is None else nan, x)

    return call


def single(function: Function) -> Function:
    """A function whose kernel computes float64 with the digits of float32."""

    @functools.wraps(function)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if input.dtype == mindspore.float64:
            raise NotImplementedError(f"{function.__name__} of float64: MindSpore computes it with the digits of float32")
        return function(input, *args, **kwargs)

    return call


def real_transform(function: Function) -> Function:
    """A Fourier transform that conjugates what it makes of integers."""

    @functools.wraps(function)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if is_whole(input):
            raise NotImplementedError(f"mint.fft.{function.__name__} of integers: convert them to floats first")
        return function(input, *args, **kwargs)

    return call
