"""What MindSpore's Tensor needs beside methods that can be written as functions: formatting, operators on bits, casts that
give the tensor itself.

Applied when the runtime is imported; nothing here runs an operation at that time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore
from mindspore import Parameter, Tensor

from . import _backend, _tensor_index, _tensor_numpy, mint


def _format(self: Tensor, spec: str) -> str:
    # a tensor of one number is formatted as the number, as in PyTorch
    return format(self.item(), spec) if self.ndim == 0 else object.__format__(self, spec)


def _round(self: Tensor, ndigits: int | None = None) -> Any:
    if self.ndim:
        raise TypeError("round() of a tensor with more than one element: use round(decimals=...)")
    return round(self.item(), ndigits)


def _bits(name: str, swapped: bool = False) -> Callable[[Tensor, Any], Any]:
    """An operator on bits that MindSpore's Tensor lacks, as the function of mint; its operands swapped for a reflected one."""

    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, int)):
            return NotImplemented
        if swapped and isinstance(other, int) and not isinstance(other, bool) and self.dtype == mindspore.bool_:
            self = self.astype(mindspore.int64)
        function = getattr(mint, name)
        return function(other, self) if swapped else function(self, other)

    return method


_BITS = {
    "__lshift__": _bits("bitwise_left_shift"),
    "__rshift__": _bits("bitwise_right_shift"),
    "__rlshift__": _bits("bitwise_left_shift", swapped=True),
    "__rrshift__": _bits("bitwise_right_shift", swapped=True),
    "__rand__": _bits("bitwise_and", swapped=True),
    "__ror__": _bits("bitwise_or", swapped=True),
    "__rxor__": _bits("bitwise_xor", swapped=True),
}


def _inverted(method: Callable[[Tensor], Any]) -> Callable[[Tensor], Any]:
    """`~x`, which MindSpore takes for the logical not of integers, too."""

    @functools.wraps(method)
    def invert(self: Tensor) -> Any:
        if self.dtype == mindspore.bool_:
            return method(self)
        if self.is_floating_point():
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return mint.bitwise_not(self)

    return invert


def _without_gradient(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a write that no gradient runs through reach the tensors that share the memory.

    A recorded write gives the tensor memory of its own, and `p.data[0] = 1` would be lost while the tape is on.
    """

    @functools.wraps(method)
    def write(self: Tensor, index: Any, value: Any) -> Any:
        if not _backend.is_recording() or _backend.requires_grad(self):
            return method(self, index, value)
        if isinstance(value, Tensor) and _backend.requires_grad(value):
            return method(self, index, value)
        with _backend.grad_mode(False):
            return method(self, index, value)

    return write


_CASTS = {
    "to": None,
    "bfloat16": mindspore.bfloat16, "bool": mindspore.bool_, "byte": mindspore.uint8, "char": mindspore.int8,
    "double": mindspore.float64, "float": mindspore.float32, "half": mindspore.float16, "int": mindspore.int32,
    "long": mindspore.int64, "short": mindspore.int16,
}  # fmt: skip


def _keeps_itself(method: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    """Let a cast to the dtype that a tensor has give the tensor itself; MindSpore copies what was once written whole."""

    @functools.wraps(method)
    def cast(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        wanted = dtype if dtype is not None else args[0] if len(args) == 1 else None
        return self if wanted is not None and not kwargs and self.dtype == wanted else method(self, *args, **kwargs)

    return cast


def _in_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let the copy of a Parameter pass gradients on, as that of a tensor does; MindSpore makes another Parameter."""

    @functools.wraps(method)
    def copy(self: Parameter) -> Any:
        return self * 1 if _backend.is_recording() and self.is_floating_point() else method(self)

    return copy


def _ordered(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `contiguous` of a tensor whose elements lie in order give the tensor itself."""

    @functools.wraps(method)
    def contiguous(self: Tensor) -> Tensor:
        return self if self.is_contiguous() else method(self)

    return contiguous


def install() -> None:
    """Give Tensor and Parameter the missing methods."""
    invert = _inverted(Tensor.__invert__)
    _tensor_numpy.install()
    for kind in (Tensor, Parameter):
        kind.__getitem__ = _tensor_index.reading(kind.__getitem__)
        kind.__setitem__ = _without_gradient(_tensor_index.writing(kind.__setitem__, kind is Parameter))
        if kind is Parameter:
            kind.copy = _in_graph(kind.copy)
        for name, dtype in _CASTS.items():
            if hasattr(kind, name):
                setattr(kind, name, _keeps_itself(getattr(kind, name), dtype))
        if hasattr(kind, "contiguous"):
            kind.contiguous = _ordered(kind.contiguous)
        kind.__format__ = _format
        kind.__invert__ = invert
        for name, method in _BITS.items():
            setattr(kind, name, method)
        kind.__round__ = _round
