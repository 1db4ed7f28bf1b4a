"""Reductions into the places that an index names.

https://docs.pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html
"""

from __future__ import annotations

from typing import Any

import mindspore
from mindspore import Tensor, ops

from .. import _device as mint
from .._trace import twice
from .placing import lined

__all__ = ["index_reduce", "scatter_reduce"]

_OWN = ("prod", "amax", "amin")
_BITS = {mindspore.int8: 8, mindspore.int16: 16, mindspore.int32: 32, mindspore.int64: 64}


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Return `input` reduced with the elements of `src` at `index`: "sum", "mean", "prod", "amax" or "amin"."""
    if reduce not in ("sum", "mean", *_OWN):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if input.ndim == 0:
        lone = scatter_reduce(
            input.reshape(1), 0, index.reshape(-1), src.reshape(-1), reduce, include_self=include_self
        )
        return lone.reshape(())
    if index.size == 0:
        return mint.clone(input)
    if input.dtype == mindspore.bool_ and reduce in _OWN:
        first, second = input.astype(mindspore.int32), src.astype(mindspore.int32)
        return scatter_reduce(first, dim, index, second, reduce, include_self=include_self).astype(mindspore.bool_)
    if tuple(src.shape) != tuple(index.shape):
        for d, length in enumerate(index.shape):
            src = mint.narrow(src, d, 0, length)
    if reduce in _OWN:
        function = _product if reduce == "prod" else _extreme
        return function(input, dim % input.ndim, index, src, reduce, include_self)
    return _sum(input, dim, index, src, reduce, include_self)


def _sum(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    if reduce == "mean" and not input.is_floating_point():
        raise NotImplementedError("mint.scatter_reduce(reduce='mean') of integers")
    ones = mint.ones(index.shape, dtype=input.dtype)
    start = mint.ones_like(input) if include_self else mint.zeros_like(input)
    counts = mint.scatter_add(start, dim, index, ones)
    base = input
    if not include_self:
        base = mint.where(counts > 0, mint.zeros_like(input), input)
    total = mint.scatter_add(base, dim, index, src)
    if reduce == "sum":
        return total
    return total / mint.where(counts > 0, counts, mint.ones_like(counts))


def _written(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Where `index` names a place at least once."""
    ones = mint.ones(index.shape, dtype=mindspore.int64)
    return mint.scatter_add(mint.zeros(input.shape, dtype=mindspore.int64), dim, index, ones) > 0


def _values(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> Tensor:
    """The reduction by a kernel that has no gradient."""
    offset = mint.zeros(index.shape, dtype=mindspore.int64)
    for d in range(input.ndim):
        line = mint.arange(index.shape[d], dtype=mindspore.int64)
        offset = offset * input.shape[d] + (index if d == dim else lined(line, index.shape, d))
    places = offset.reshape((-1, 1))
    flat, values = ops.stop_gradient(input).reshape(-1), ops.stop_gradient(src).reshape(-1)
    if reduce == "prod":
        found = ops.tensor_scatter_mul(flat, places, values)
    elif reduce == "amax":
        found = ops.tensor_scatter_max(flat, places, values)
    else:
        found = ops.tensor_scatter_min(flat, places, values)
    return ops.stop_gradient(found).reshape(input.shape)


def _neutral(x: Tensor, reduce: str) -> Any:
    if reduce == "prod":
        return 1
    if x.is_floating_point():
        return -float("inf") if reduce == "amax" else float("inf")
    if x.dtype not in _BITS:
        raise NotImplementedError(f"mint.scatter_reduce(reduce={reduce!r}) of {x.dtype}")
    top = 2 ** (_BITS[x.dtype] - 1)
    return -top if reduce == "amax" else top - 1


def _started(input: Tensor, dim: int, index: Tensor, reduce: str, include_self: bool) -> Tensor:
    if include_self:
        return input
    return mint.where(_written(input, dim, index), mint.full_like(input, _neutral(input, reduce)), input)


def _extreme(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    """The extreme as the mean of the elements that are equal to it, which is how PyTorch shares its gradient."""
    start = _started(input, dim, index, reduce, include_self)
    exact = _values(start, dim, index, src, reduce)
    if not input.is_floating_point():
        return exact
    own, other = start == exact, src == mint.gather(exact, dim, index)
    counts = mint.scatter_add(own.astype(input.dtype), dim, index, other.astype(input.dtype))
    nothing, counts = mint.zeros_like(src), mint.where(counts > 0, counts, mint.ones_like(counts))
    total = mint.where(own, start, mint.zeros_like(input))
    total = mint.scatter_add(total, dim, index, mint.where(other, src, nothing))
    mean = total / counts
    fixed = ops.stop_gradient(mean)
    return mint.where(fixed == exact, mean, mean + mint.where(fixed == exact, mint.zeros_like(exact), exact - fixed))


def _product(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool) -> Tensor:
    """The product, with the derivative by each factor: the product of the others."""
    start = _started(input, dim, index, reduce, include_self)
    exact = _values(start, dim, index, src, reduce)
    if not input.is_floating_point():
        return exact
    if twice():
        raise NotImplementedError("mint.scatter_reduce(reduce='prod'): its second derivative")
    fixed, factors = ops.stop_gradient(start), ops.stop_gradient(src)
    ones = mint.ones_like(fixed)
    nonzero = _values(
        mint.where(fixed == 0, ones, fixed), dim, index, mint.where(factors == 0, mint.ones_like(factors), factors), reduce
    )
    zeros = mint.scatter_add((fixed == 0).astype(fixed.dtype), dim, index, (factors == 0).astype(fixed.dtype))
    by_start = _others(fixed, exact, nonzero, zeros)
    by_src = _others(factors, *(mint.gather(t, dim, index) for t in (exact, nonzero, zeros)))
    change = mint.scatter_add(by_start * (start - fixed), dim, index, by_src * (src - factors))
    return exact + change


def _others(factor: Tensor, product: Tensor, nonzero: Tensor, zeros: Tensor) -> Tensor:
    """The product of all factors but this one."""
    zero = factor == 0
    quotient = product / mint.where(zero, mint.ones_like(factor), factor)
    return ops.stop_gradient(mint.where(zero, mint.where(zeros == 1, nonzero, mint.zeros_like(nonzero)), quotient))


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Return `input` with the slices of `source` reduced into it at `index` along `dim`."""
    if input.ndim == 0:
        return scatter_reduce(input, 0, index, source, reduce, include_self=include_self)
    d = dim % input.ndim
    return scatter_reduce(input, d, lined(index, source.shape, d), source, reduce, include_self=include_self)
