"""Reductions, sorting and searching with the arguments of PyTorch's methods."""

from __future__ import annotations

from typing import Any

from mindspore import Tensor

from .. import mint

Dim = Any


def max(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Return the largest element, (values, indices) along a dimension, or the larger of two tensors."""
    return _extreme(mint.max, mint.maximum, x, args, kwargs)


def min(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Return the smallest element, (values, indices) along a dimension, or the smaller of two tensors."""
    return _extreme(mint.min, mint.minimum, x, args, kwargs)


def _extreme(reduce: Any, elementwise: Any, x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    other = kwargs.get("other", args[0] if args else None)
    if isinstance(other, Tensor):
        return elementwise(x, other)
    if not args and not kwargs:
        return reduce(x)
    dim = kwargs.get("dim", args[0] if args else None)
    keepdim = kwargs.get("keepdim", args[1] if len(args) > 1 else False)
    return reduce(x, dim, keepdim)


def _spread(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return dim, correction and keepdim for the argument forms of std and var."""
    names = ("unbiased",) if len(args) == 1 and isinstance(args[0], bool) else ("dim", "unbiased", "keepdim")
    given = {**dict(zip(names, args)), **kwargs}
    correction = given.get("correction", 1)
    if "unbiased" in given:
        correction = 1 if given["unbiased"] else 0
    return {"dim": given.get("dim"), "correction": correction, "keepdim": given.get("keepdim", False)}


def std(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the standard deviation, with Bessel's correction unless told otherwise."""
    return mint.std(x, **_spread(args, kwargs))


def var(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the variance, with Bessel's correction unless told otherwise."""
    return mint.var(x, **_spread(args, kwargs))


def any(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Tell whether an element is not zero."""
    return mint.any(x) if dim is None else mint.any(x, dim, keepdim)


def all(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Tell whether no element is zero."""
    return mint.all(x) if dim is None else mint.all(x, dim, keepdim)


def sum(x: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum."""
    return mint.sum(x, dtype=dtype) if dim is None else mint.sum(x, dim, keepdim, dtype=dtype)


def mean(x: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean."""
    return mint.mean(x, dtype=dtype) if dim is None else mint.mean(x, dim, keepdim, dtype=dtype)


def prod(x: Tensor, dim: Dim = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the product."""
    return mint.prod(x, dtype=dtype) if dim is None else mint.prod(x, dim, keepdim, dtype=dtype)


def amax(x: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Return the largest elements."""
    return mint.amax(x, dim, keepdim)


def amin(x: Tensor, dim: Dim = (), keepdim: bool = False) -> Tensor:
    """Return the smallest elements."""
    return mint.amin(x, dim, keepdim)


def argmax(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Return the index of the largest element."""
    return mint.argmax(x) if dim is None else mint.argmax(x, dim, keepdim)


def argmin(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
    """Return the index of the smallest element."""
    return mint.argmin(x) if dim is None else mint.argmin(x, dim, keepdim)


def argsort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort."""
    return mint.argsort(x, dim, descending, stable)


def sort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return (values, indices) in order."""
    return mint.sort(x, dim=dim, descending=descending, stable=stable)


def topk(x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return (values, indices) of the k largest elements."""
    return mint.topk(x, k, dim, largest, sorted)


def median(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Any:
    """Return the lower median, or (values, indices) along a dimension."""
    return mint.median(x) if dim is None else mint.median(x, dim, keepdim)


def norm(x: Tensor, p: Any = "fro", dim: Dim = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """Return the p-norm."""
    return mint.norm(x, 2 if p is None else p, dim, keepdim, dtype=dtype)


def cumsum(x: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return the running sums."""
    return mint.cumsum(x, dim, dtype=dtype)


def count_nonzero(x: Tensor, dim: Dim = None) -> Tensor:
    """Return how many elements are not zero."""
    return mint.count_nonzero(x) if dim is None else mint.count_nonzero(x, dim)


def nonzero(x: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of the elements that are not zero."""
    return mint.nonzero(x, as_tuple=as_tuple)


def unique(
    x: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Dim = None
) -> Any:
    """Return the different elements."""
    return mint.unique(x, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


def softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the softmax along a dimension."""
    return mint.softmax(x, dim, dtype=dtype)


def log_softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the logarithm of the softmax along a dimension."""
    return mint.nn.functional.log_softmax(x, dim, dtype=dtype)


def equal(x: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors have the same shape and elements."""
    return bool(mint.equal(x, other))


def dot(x: Tensor, other: Tensor) -> Tensor:
    """Return the inner product of two vectors."""
    return mint.dot(x, other)


def trace(x: Tensor) -> Tensor:
    """Return the sum of the diagonal."""
    return mint.trace(x)


def round(x: Tensor, *, decimals: int = 0) -> Tensor:
    """Return the elements rounded half to even."""
    return mint.round(x, decimals=decimals)


def bincount(x: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each number occurs."""
    return mint.bincount(x, weights, minlength)
