"""Reductions and normalizations of the elements that a mask selects, as `torch.masked` has them for plain tensors.

https://docs.pytorch.org/docs/stable/masked.html
"""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor

from .._lower import lifting as _lifting
from . import _device as mint
from ._cpu.common import as_float
from ._linalg import vector_norm
from ._more.statistics import nanmedian
from .nn import functional as F

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_FLOATS = (mindspore.float32, mindspore.float16, mindspore.float64, mindspore.bfloat16)
_BITS = {mindspore.int8: 8, mindspore.int16: 16, mindspore.int32: 32, mindspore.int64: 64}


def _chosen(input: Tensor, mask: Any, other: Any, dtype: Any = None) -> Tensor:
    """Return `input`, with `other` where the mask is False."""
    x = input if dtype is None else input.astype(dtype)
    if mask is None:
        return x
    return mint.where(mask, x, mint.full_like(x, other))


def _lowest(x: Tensor, dtype: Any, sign: int) -> Any:
    """Return the least (or with sign 1 the greatest) value of the dtype."""
    kind = x.dtype if dtype is None else dtype
    if kind in _FLOATS:
        return sign * float("inf")
    if kind not in _BITS:
        raise NotImplementedError(f"mint.masked: extremes of {kind}")
    top = 2 ** (_BITS[kind] - 1)
    return top - 1 if sign > 0 else -top


def _dims(dim: Any) -> Any:
    return None if dim is None or dim == () else dim


def sum(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the sum of the selected elements."""
    return mint.sum(_chosen(input, mask, 0), _dims(dim), keepdim, dtype=dtype)


def prod(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the product of the selected elements."""
    x = _chosen(input, mask, 1)
    dims = _dims(dim)
    if dims is None:
        result = mint.prod(x, dtype=dtype)
        return result.reshape((1,) * x.ndim) if keepdim else result
    for d in sorted([d % max(x.ndim, 1) for d in ((dims,) if isinstance(dims, int) else dims)], reverse=True):
        x = mint.prod(x, d, keepdim, dtype=dtype)
    return x


def mean(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the mean of the selected elements, nan where there are none."""
    x = _chosen(input, mask, 0, dtype)
    if x.dtype not in _FLOATS:
        raise NotImplementedError("mint.masked.mean of integers: pass dtype")
    if mask is None:
        return mint.mean(x, _dims(dim), keepdim)
    count = mint.sum(mint.broadcast_to(mask, x.shape).astype(x.dtype), _dims(dim), keepdim)
    return mint.sum(x, _dims(dim), keepdim) / count


def amax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the greatest selected element."""
    return mint.amax(_chosen(input, mask, _lowest(input, dtype, -1), dtype), () if dim is None else dim, keepdim)


def amin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the least selected element."""
    return mint.amin(_chosen(input, mask, _lowest(input, dtype, 1), dtype), () if dim is None else dim, keepdim)


def argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return where the greatest selected element is, like PyTorch in the dtype of the elements."""
    return mint.argmax(_chosen(input, mask, _lowest(input, dtype, -1), dtype), dim, keepdim).astype(
        input.dtype if dtype is None else dtype
    )


def argmin(
    input: Tensor, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return where the least selected element is, like PyTorch in the dtype of the elements."""
    return mint.argmin(_chosen(input, mask, _lowest(input, dtype, 1), dtype), dim, keepdim).astype(
        input.dtype if dtype is None else dtype
    )


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the logarithm of the sum of the exponentials of the selected elements."""
    if not input.is_floating_point():
        raise NotImplementedError("mint.masked.logsumexp of integers: convert to floats first")
    x = _chosen(input, mask, -float("inf"), dtype)
    return mint.logsumexp(x, tuple(range(x.ndim)) if _dims(dim) is None else dim, keepdim)


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Tensor:
    """Return log(exp(input) + exp(other)), each with the elements that its mask selects."""
    low = -float("inf")
    return mint.logaddexp(_chosen(input, input_mask, low, dtype), _chosen(other, other_mask, low, dtype))


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the running sums of the selected elements."""
    return mint.cumsum(_chosen(input, mask, 0, dtype), dim)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the running products of the selected elements."""
    return mint.cumprod(_chosen(input, mask, 1, dtype), dim)


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the softmax of the selected elements."""
    return F.softmax(_chosen(input, mask, -float("inf"), dtype), dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the logarithm of the softmax of the selected elements."""
    return F.log_softmax(_chosen(input, mask, -float("inf"), dtype), dim)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the softmax of the negative selected elements."""
    return F.softmax(-_chosen(input, mask, float("inf"), dtype), dim)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the selected elements divided by their norm along `dim`, 0 elsewhere."""
    x = _chosen(input, mask, 0, dtype)
    if ord < 0:
        raise NotImplementedError("mint.masked.normalize with a negative order")
    return x / mint.clamp(mint.norm(x, ord, dim, True), min=eps)


def norm(
    input: Tensor, ord: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Return the vector norm of the selected elements."""
    x = _chosen(input, mask, float("inf") if ord == -float("inf") else 0)
    return vector_norm(x, 2.0 if ord is None else ord, _dims(dim), bool(keepdim), dtype=dtype)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """Return the median of the selected elements, nan where there are none."""
    if not input.is_floating_point():
        raise NotImplementedError("mint.masked.median of integers: convert to floats first")
    return nanmedian(_chosen(input, mask, float("nan")), dim, keepdim)[0]


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Return the variance of the selected elements."""
    x = as_float(input) if dtype is None else input.astype(dtype)
    if x.dtype not in _FLOATS:
        raise NotImplementedError(f"mint.masked.var(dtype={dtype}); use a floating type")
    chosen = mint.ones_like(x) if mask is None else mint.broadcast_to(mask, x.shape).astype(x.dtype)
    count = mint.sum(chosen, _dims(dim), True)
    mean = mint.sum(_chosen(x, mask, 0), _dims(dim), True) / count
    difference = x - mean
    total = mint.sum(_chosen(difference * difference, mask, 0), _dims(dim), keepdim)
    less = correction if correction is not None else (1 if unbiased is None else int(unbiased))
    return total / mint.clamp(count.reshape(total.shape) - less, min=0)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Return the standard deviation of the selected elements."""
    return mint.sqrt(var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask))


globals().update(_lifting.lift_functions(globals()))
