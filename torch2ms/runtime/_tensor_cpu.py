"""Methods of Tensor whose CPU kernels refuse what PyTorch takes, led to the functions of mint in those cases.

Integers and booleans that PyTorch promotes to floats, maxima of booleans, and products over nothing: MindSpore's
matmul of empty matrices returns memory that nobody wrote.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from . import mint
from ._device_target import IS_CPU

_OF_FLOATS = (
    "acos acosh asin asinh atan atanh arccos arcsin arctan ceil cos cosh exp expm1 floor log log1p log10 log2 sin sinh "
    "tan rsqrt isinf isneginf sigmoid erf erfc sign square"
).split()
_FLOATS = (mindspore.float32, mindspore.float16, mindspore.float64, mindspore.bfloat16)
_COMPLEX = (mindspore.complex64, mindspore.complex128)


def _promoted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor) -> Any:
        return method(self) if self.dtype in _FLOATS or self.dtype in _COMPLEX else getattr(mint, name)(self)

    return call


def _of_booleans(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        plain = args or kwargs or self.dtype != mindspore.bool_
        return method(self, *args, **kwargs) if plain else getattr(mint, name)(self)

    return call


def _product(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, other: Any) -> Any:
        if self.size == 0 and isinstance(other, Tensor):
            return getattr(mint, name)(self, other)
        return method(self, other)

    return call


def _power(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, other: Any) -> Any:
        # integers to the power of a tensor, whose negative elements MindSpore takes for something else
        whole = isinstance(other, Tensor) and self.dtype not in _FLOATS and other.dtype not in _FLOATS
        return mint.pow(self, other) if whole else method(self, other)

    return call


def _reflected(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, other: Any) -> Any:
        return mint.matmul(other, self) if self.size == 0 else method(self, other)

    return call


def install() -> None:
    """Lead the methods on, on the CPU."""
    if not IS_CPU:
        return
    for kind in (Tensor, Parameter):
        for name in filter(functools.partial(hasattr, kind), _OF_FLOATS):
            setattr(kind, name, _promoted(name, getattr(kind, name)))
        for name in ("max", "min"):
            setattr(kind, name, _of_booleans(name, getattr(kind, name)))
        kind.__pow__, kind.pow = _power(kind.__pow__), _power(kind.pow)
        if hasattr(kind, "__rmatmul__"):
            kind.__rmatmul__ = _reflected(kind.__rmatmul__)
        for name, function in {"__matmul__": "matmul", "matmul": "matmul", "mm": "mm", "bmm": "bmm"}.items():
            if hasattr(kind, name):
                setattr(kind, name, _product(function, getattr(kind, name)))
