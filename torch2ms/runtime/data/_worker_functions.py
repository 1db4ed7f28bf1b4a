"""PyTorch's most used operations on numpy arrays, for workers. NotImplemented stands for what is not covered."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np

from .._default_dtype import default_numpy

_TYPES = {
    "float": np.float32, "double": np.float64, "half": np.float16, "long": np.int64, "int": np.int32, "short": np.int16,
    "byte": np.uint8, "bool": np.bool_,
}  # fmt: skip


def _narrow(result: Any, *operands: Any) -> Any:
    """Return a result in PyTorch's type: float64 only from float64."""
    array = np.asarray(result)
    given = [value for value in operands if isinstance(value, np.ndarray)]
    if array.dtype == np.float64 and not any(value.dtype == np.float64 for value in given):
        halves = given and all(value.dtype == np.float16 for value in given if value.dtype.kind == "f")
        floats = any(value.dtype.kind == "f" for value in given)
        return array.astype(np.float16 if halves and floats else np.float32 if floats else default_numpy())
    if array.dtype == np.complex128 and not any(value.dtype == np.complex128 for value in given):
        whole = not any(value.dtype.kind in "fc" for value in given)
        return array.astype(np.complex128 if whole and default_numpy() is np.float64 else np.complex64)
    return array


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(*operands: Any) -> Any:
        return _narrow(function(*operands), *operands)

    return compute


def _floating(function: Callable[..., Any]) -> Callable[..., Any]:
    def compute(x: np.ndarray) -> Any:
        return function(x if x.dtype.kind in "fc" else x.astype(default_numpy()))

    return compute


def dtype_of(value: Any) -> Any:
    """Return numpy's type for MindSpore's, None for what is no type."""
    if value is None or isinstance(value, (str, int, np.ndarray)):
        return None
    return np.dtype(mindspore.dtype_to_nptype(value))


def _to(x: np.ndarray, *args: Any, **kwargs: Any) -> Any:
    wanted = [dtype_of(value) for value in (*args, kwargs.get("dtype"))]
    dtype = next((kind for kind in wanted if kind is not None), None)
    like = next((value for value in args if isinstance(value, np.ndarray)), None)
    if dtype is None and like is not None:
        dtype = like.dtype
    return x if dtype is None else x.astype(dtype)


def _sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else tuple(int(a) for a in args)


def _view(x: np.ndarray, *shape: Any, **_options: Any) -> Any:
    return x.reshape(_sizes(shape)) if not shape or isinstance(shape[0], (int, list, tuple)) else NotImplemented


def _expand(x: np.ndarray, *sizes: Any) -> Any:
    wanted = _sizes(sizes)
    known = (1,) * (len(wanted) - x.ndim) + x.shape
    return np.broadcast_to(x, tuple(old if new == -1 else new for new, old in zip(wanted, known)))


def _squeeze(x: np.ndarray, dim: Any = None) -> Any:
    if dim is None:
        return x.squeeze()
    return x.squeeze(dim) if isinstance(dim, int) and x.shape[dim] == 1 else x


def _flatten(x: np.ndarray, start_dim: int = 0, end_dim: int = -1) -> Any:
    last = end_dim % x.ndim if x.ndim else 0
    return x.reshape(*x.shape[:start_dim], -1, *x.shape[last + 1 :]) if x.ndim else x.reshape(1)


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(x: np.ndarray, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, **other: Any) -> Any:
        keepdim = other.pop("keepdims", keepdim)
        dim = other.pop("axis", dim)
        if other:
            return NotImplemented
        if function is np.sum and x.dtype.kind in "iub":
            x = x.astype(np.int64)
        result = _narrow(function(x, axis=tuple(dim) if isinstance(dim, list) else dim, keepdims=keepdim), x)
        return result if dtype is None else result.astype(dtype_of(dtype))

    return reduce


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(x: np.ndarray, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
        if isinstance(dim, bool):
            return NotImplemented
        return function(x, axis=dim, ddof=correction, keepdims=keepdim)

    return reduce


def _index(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        return np.asarray(function(x, axis=dim, keepdims=keepdim if dim is not None else False), np.int64)

    return find


def _extreme(whole: Callable[..., Any], place: Callable[..., Any]) -> Callable[..., Any]:
    def find(x: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None:
            return whole(x)
        if not isinstance(dim, int):
            return NotImplemented
        return whole(x, axis=dim, keepdims=keepdim), np.asarray(place(x, axis=dim, keepdims=keepdim), np.int64)

    return find


def _clamp(x: np.ndarray, min: Any = None, max: Any = None) -> Any:
    return np.clip(x, min, max).astype(x.dtype)


def _set(x: np.ndarray, index: Any, value: Any) -> None:
    x[index] = value


def _get(x: np.ndarray, index: Any) -> Any:
    return x[index]


def _fill(x: np.ndarray, value: Any) -> Any:
    return NotImplemented


def _split(x: np.ndarray, size: Any, dim: int = 0) -> Any:
    ends = np.cumsum(size)[:-1] if isinstance(size, (list, tuple)) else np.arange(size, x.shape[dim], size)
    return np.split(x, ends, dim)


def _new(make: Callable[..., Any]) -> Callable[..., Any]:
    def create(*size: Any, dtype: Any = None, device: Any = None) -> Any:
        return make(_sizes(size), dtype_of(dtype) or default_numpy())

    return create


def _full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    usual = default_numpy() if isinstance(fill_value, float) else np.bool_ if isinstance(fill_value, bool) else np.int64
    return np.full(size, fill_value, dtype_of(dtype) or usual)


def _arange(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    first, last = (0, start) if end is None else (start, end)
    usual = default_numpy() if any(isinstance(value, float) for value in (first, last, step)) else np.int64
    return np.arange(first, last, step).astype(dtype_of(dtype) or usual)


def _stack(tensors: Any, dim: int = 0) -> Any:
    if any(tensor.shape != tensors[0].shape for tensor in tensors):
        raise RuntimeError("stack expects each tensor to be equal size")
    return np.stack(tensors, dim)


def _where(condition: Any, input: Any, other: Any) -> Any:
    return _narrow(np.where(condition, input, other), input, other)


def _like(make: Callable[..., Any]) -> Callable[..., Any]:
    def create(x: np.ndarray, *, dtype: Any = None, device: Any = None) -> Any:
        return make(x, dtype_of(dtype) or x.dtype)

    return create


def _as_tensor(data: Any, dtype: Any = None, **_options: Any) -> Any:
    array = np.asarray(data)
    usual = default_numpy() if array.dtype == np.float64 and not isinstance(data, np.ndarray) else array.dtype
    return array.astype(dtype_of(dtype) or usual)


_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "matmul": operator.matmul,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: _elementwise(function) for name, function in _BINARY.items()},
    **{
        f"r{name}": _elementwise(lambda x, y, function=function: function(y, x))
        for name, function in _BINARY.items()
        if name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
    },
    "neg": operator.neg, "invert": operator.invert, "abs": abs, "getitem": _get, "setitem": _set,
    "iter": lambda x: iter([x[i] for i in range(len(x))]), "bool": bool,
    "contains": lambda x, value: bool((x == value).any()),
}  # fmt: skip
_SHARED: dict[str, Callable[..., Any]] = {
    "sum": _reduction(np.sum), "mean": _reduction(np.mean), "prod": _reduction(np.prod), "all": _reduction(np.all),
    "any": _reduction(np.any), "std": _spread(np.std), "var": _spread(np.var), "argmax": _index(np.argmax),
    "argmin": _index(np.argmin), "max": _extreme(np.max, np.argmax), "min": _extreme(np.min, np.argmin),
    "clamp": _clamp, "clip": _clamp, "unsqueeze": lambda x, dim: np.expand_dims(x, dim), "squeeze": _squeeze,
    "transpose": lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1), "flatten": _flatten, "split": _split,
    "flip": lambda x, *dims: np.flip(x, _sizes(dims)), "where": _where, "cumsum": lambda x, dim: np.cumsum(x, dim),
    "eq": OPERATORS["eq"], "ne": OPERATORS["ne"], "lt": OPERATORS["lt"], "le": OPERATORS["le"], "gt": OPERATORS["gt"],
    "ge": OPERATORS["ge"], "mul": OPERATORS["mul"], "div": OPERATORS["truediv"], "matmul": OPERATORS["matmul"],
    "pow": OPERATORS["pow"],
    **{name: _floating(getattr(np, name)) for name in "sqrt exp log log1p sin cos tan tanh expm1".split()},
    **{name: getattr(np, name) for name in "abs floor ceil round sign square".split()},
    "narrow": lambda x, dim, start, length: np.take(x, range(start, start + length), dim),
    "tile": lambda x, dims: np.tile(x, dims), "permute": lambda x, *dims: np.transpose(x, _sizes(dims)),
    "reshape": _view, "unbind": lambda x, dim=0: list(np.moveaxis(x, dim, 0)), "t": lambda x: x.T,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {
    **_SHARED,
    **{name: (lambda x, kind=kind: x.astype(kind)) for name, kind in _TYPES.items()},
    "astype": _to, "to": _to, "type": _to, "type_as": _to, "view": _view, "expand": _expand,
    "view_as": lambda x, other: x.reshape(other.shape), "expand_as": lambda x, other: np.broadcast_to(x, other.shape),
    "copy": np.copy, "clone": np.copy, "add": lambda x, other: OPERATORS["add"](x, other),
    "sub": lambda x, other: OPERATORS["sub"](x, other), "ravel": np.ravel, "swapaxes": np.swapaxes,
    "masked_fill": lambda x, mask, value: np.where(mask, np.asarray(value, x.dtype), x),
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **_SHARED,
    "stack": _stack, "cat": lambda tensors, dim=0: np.concatenate(tensors, dim), "full": _full, "arange": _arange,
    "concat": lambda tensors, dim=0: np.concatenate(tensors, dim), "zeros": _new(np.zeros), "ones": _new(np.ones),
    "empty": _new(np.zeros), "zeros_like": _like(np.zeros_like), "ones_like": _like(np.ones_like), "clone": np.copy,
    "as_tensor": _as_tensor, "stop_gradient": lambda x: x, "eye": lambda n, m=None: np.eye(n, m, dtype=default_numpy()),
    "linspace": lambda start, end, steps, dtype=None: np.linspace(start, end, steps).astype(dtype_of(dtype) or default_numpy()),
}  # fmt: skip
