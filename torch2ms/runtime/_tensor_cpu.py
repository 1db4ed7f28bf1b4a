"""Methods of Tensor whose CPU kernels refuse what PyTorch takes, led to the functions of mint in those cases.

Integers and booleans that PyTorch promotes to floats, maxima of booleans, and products over nothing: MindSpore's
matmul of empty matrices returns memory that nobody wrote, and its clamp makes numbers of nan.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from . import _backend, mint
from ._device_target import IS_CPU

_OF_FLOATS = (
    "acos acosh asin asinh atan atanh arccos arcsin arctan ceil cos cosh exp expm1 floor log log1p log10 log2 sin sinh "
    "tan rsqrt isinf isneginf sigmoid erf erfc sign square"
).split()
# MindSpore's methods return memory that nobody wrote where there is nothing to reduce
_REDUCTIONS = "mean sum nansum prod std var norm logsumexp all any amax amin max min median nanmean argmax argmin".split()
_KEPT = ("mean", "sum")
_SPELLED = {"axis": "dim", "keep_dims": "keepdim", "keepdims": "keepdim"}
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


def _of_nothing(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if self.size:
            return method(self, *args, **kwargs)
        spelled = {_SPELLED.get(key, key): value for key, value in kwargs.items()}
        value = getattr(mint, name)(self, *args, **spelled)
        if name not in _KEPT or not _backend.is_recording():
            return value
        # the value of the function, in the graph of the method
        linked = method(self, *args, **kwargs)
        whole = linked.shape == value.shape and linked.dtype == value.dtype
        return mint.where(mint.full(value.shape, True, dtype=mindspore.bool_), value, linked) if whole else value

    return call


def _power(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, other: Any) -> Any:
        # integers to the power of a tensor, whose negative elements MindSpore takes for something else
        whole = isinstance(other, Tensor) and self.dtype not in _FLOATS and other.dtype not in _FLOATS
        return mint.pow(self, other) if whole else method(self, other)

    return call


def _function(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """The function in the place of the method, which makes a number of nan."""

    @functools.wraps(method)
    def call(self: Tensor, min: Any = None, max: Any = None) -> Any:
        return getattr(mint, name)(self, min, max)

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
        for name in filter(functools.partial(hasattr, kind), _REDUCTIONS):
            setattr(kind, name, _of_nothing(name, getattr(kind, name)))
        for name in ("clamp", "clip"):
            setattr(kind, name, _function(name, getattr(kind, name)))
        for name in ("max", "min"):
            setattr(kind, name, _of_booleans(name, getattr(kind, name)))
        kind.__pow__, kind.pow = _power(kind.__pow__), _power(kind.pow)
        if hasattr(kind, "__rmatmul__"):
            kind.__rmatmul__ = _reflected(kind.__rmatmul__)
        for name, function in {"__matmul__": "matmul", "matmul": "matmul", "mm": "mm", "bmm": "bmm"}.items():
            if hasattr(kind, name):
                setattr(kind, name, _product(function, getattr(kind, name)))
