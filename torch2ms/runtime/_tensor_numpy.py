"""Operators of tensors and numpy's arrays, and numpy's elementwise functions of tensors: they give tensors, as in PyTorch."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
from mindspore import Parameter, Tensor

from . import _backend
from ._default_dtype import default_numpy

_OPERATORS: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv, np.remainder: operator.mod, np.power: operator.pow, np.less: operator.lt,
    np.less_equal: operator.le, np.greater: operator.gt, np.greater_equal: operator.ge, np.equal: operator.eq,
    np.not_equal: operator.ne,
}  # fmt: skip
_NAMES = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lt", "le", "gt", "ge", "eq", "ne",
)  # fmt: skip
_COMPARISONS = frozenset(("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"))


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Let `numpy number * tensor` and numpy's elementwise functions give tensors."""
    if method == "__call__" and ufunc in _OPERATORS and not options:
        if any(isinstance(value, np.ndarray) for value in inputs):
            inputs = _promoted(ufunc, *inputs)
        first, second = (_operand(value) for value in inputs)
        return _OPERATORS[ufunc](first, second)
    for value in inputs:
        if isinstance(value, Tensor) and not isinstance(value, Parameter) and _backend.requires_grad(value):
            raise RuntimeError("a numpy function of a tensor that takes part in a gradient: detach the tensor first")
    arrays = [value.asnumpy() if isinstance(value, Tensor) else value for value in inputs]
    result = getattr(ufunc, method)(*arrays, **options)
    return tuple(_wrap(part) for part in result) if isinstance(result, tuple) else _wrap(result)


def _promoted(ufunc: Any, *operands: Any) -> tuple[Tensor, ...]:
    """Return the operands as tensors of the data type that numpy computes in."""
    arrays = [
        np.dtype(mindspore.dtype_to_nptype(v.dtype)) if isinstance(v, Tensor) else np.asarray(v).dtype for v in operands
    ]
    if ufunc is np.true_divide and isinstance(operands[1], Tensor) and arrays[1].kind in "iub":
        arrays[1] = np.dtype(default_numpy())  # PyTorch takes the reciprocal first
    common = np.result_type(*arrays)
    if ufunc is np.true_divide and common.kind in "iub":
        common = np.dtype(np.float64)
    dtype = Tensor(np.zeros(1, common)).dtype
    return tuple(v.astype(dtype) if isinstance(v, Tensor) else Tensor(np.asarray(v), dtype) for v in operands)


def _operand(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return value


def _wrap(result: Any) -> Any:
    return Tensor.from_numpy(np.asarray(result)) if isinstance(result, (np.ndarray, np.generic)) else result


def _leaving_arrays(name: str, method: Callable[[Tensor, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """Let numpy take over where the other operand is an array, and take its numbers: MindSpore raises, or says False to `==`."""
    is_comparison = name in _COMPARISONS

    @functools.wraps(method)
    def operate(self: Tensor, other: Any) -> Any:
        # of booleans PyTorch makes small integers: MindSpore's error stays
        if type(other) is np.ndarray and (is_comparison or other.dtype != np.bool_ or self.dtype != mindspore.bool_):
            return NotImplemented
        return method(self, other.item() if isinstance(other, np.generic) else other)

    return operate


def install() -> None:
    """Give Tensor the operators."""
    for name in (f"__{name}__" for name in _NAMES):
        method = _leaving_arrays(name, getattr(Tensor, name))
        for kind in (Tensor, Parameter):
            setattr(kind, name, method)
    for kind in (Tensor, Parameter):
        kind.__array_ufunc__ = array_ufunc
