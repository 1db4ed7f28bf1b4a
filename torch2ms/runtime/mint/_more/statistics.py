"""Quantiles, modes, correlations, histograms, numerical derivatives and integrals."""

from __future__ import annotations

from typing import Any, NamedTuple

import mindspore
import numpy as np
from mindspore import Tensor, ops

from .. import _device as mint
from .._trace import named, twice

__all__ = [
    "aminmax",
    "corrcoef",
    "cov",
    "cumulative_trapezoid",
    "gradient",
    "histogram",
    "logcumsumexp",
    "mode",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "quantile",
    "trapezoid",
    "trapz",
]


class MinMax(NamedTuple):
    """The smallest and the largest elements."""

    min: Any
    max: Any


class ValuesIndices(NamedTuple):
    """Elements along a dimension and where they stand."""

    values: Any
    indices: Any


class Histogram(NamedTuple):
    """Counts, and the edges of their bins."""

    hist: Any
    bin_edges: Any


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinMax:
    """Return the minimum and the maximum, of all elements or along `dim`."""
    d = () if dim is None else dim
    return named(MinMax, (mint.amin(input, d, keepdim), mint.amax(input, d, keepdim)))


def _weights(ordered: Tensor, q: Tensor, counts: Tensor, interpolation: str) -> Tensor:
    """Return the quantiles (Q, ...) of elements sorted along the last dimension, `counts` of which count."""
    rank = q.reshape((-1,) + (1,) * counts.ndim) * (counts.astype(ordered.dtype) - 1).unsqueeze(0)
    rank = mint.clamp(rank, min=0)
    low, high = mint.floor(rank), mint.ceil(rank)
    if interpolation == "lower":
        high = low
    elif interpolation == "higher":
        low = high
    elif interpolation == "nearest":
        low = mint.round(rank)
        high = low
    first, second = (
        mint.gather(ordered, ordered.ndim - 1, p.astype(mindspore.int64).permute((*range(1, p.ndim), 0)))
        for p in (low, high)
    )
    share = 0.5 if interpolation == "midpoint" else (rank - low).permute((*range(1, rank.ndim), 0))
    mixed = first + (second - first) * share
    return mixed.permute((mixed.ndim - 1, *range(mixed.ndim - 1)))


def _quantile(input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip: bool) -> Tensor:
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"quantile() interpolation {interpolation!r} is not known")
    if input.ndim == 0:
        return _quantile(input.reshape(1), q, dim, False, interpolation, skip)
    many = isinstance(q, Tensor) and q.ndim == 1
    levels = q.astype(input.dtype) if isinstance(q, Tensor) else mint.full((), float(q), dtype=input.dtype)
    x = input.reshape(-1) if dim is None else mint.transpose(input, dim, -1)
    nan = mint.isnan(x)
    size = x.shape[-1]
    counts = size - mint.sum(nan.astype(mindspore.int64), -1)
    ordered = mint.sort(mint.where(nan, mint.full_like(x, float("inf")), x), dim=-1)[0]
    found = _weights(ordered, levels.reshape(-1), counts, interpolation)
    lost = (counts == 0) if skip else (counts < size)
    found = mint.where(lost.unsqueeze(0), mint.full_like(found, float("nan")), found)
    if dim is None:
        found = found.reshape((-1,) + (1,) * (input.ndim if keepdim else 0))
    else:
        found = mint.transpose(found.unsqueeze(-1), dim % input.ndim + 1, -1)
        found = found if keepdim else found.squeeze(dim % input.ndim + 1)
    return found if many else found.squeeze(0)


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """Return the quantiles `q` along `dim`; several of them are a new first dimension."""
    return _quantile(input, q, dim, keepdim, interpolation, False)


def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """Return the quantiles of the elements that are not nan."""
    return _quantile(input, q, dim, keepdim, interpolation, True)


def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean of the elements that are not nan."""
    counted = mint.logical_not(mint.isnan(input)).astype(input.dtype if dtype is None else dtype)
    return mint.nansum(input, dim, keepdim, dtype=dtype) / mint.sum(counted, dim, keepdim)


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the lower median of the elements that are not nan; along `dim` with its indices."""
    x, d = (input.reshape(-1), 0) if dim is None else (input, dim)
    if x.ndim == 0:
        return named(ValuesIndices, (x, mint.zeros((), dtype=mindspore.int64)))
    values, order = mint.sort(x, dim=d)
    counts = x.shape[d] - mint.sum(mint.isnan(x).astype(mindspore.int64), d, True)
    middle = mint.clamp(mint.floor_divide(counts - 1, 2), min=0)
    found, places = mint.gather(values, d, middle), mint.gather(order, d, middle)
    if dim is None:
        return found.reshape(())
    return (
        named(ValuesIndices, (found, places))
        if keepdim
        else named(ValuesIndices, (found.squeeze(d), places.squeeze(d)))
    )


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """Return the most frequent element along `dim` (the smallest of several) and the index of its last occurrence."""
    if input.ndim == 0:
        return named(ValuesIndices, (input, mint.zeros((), dtype=mindspore.int64)))
    d, length = dim % input.ndim, input.shape[dim]
    x = ops.stop_gradient(input).swapaxes(d, -1)
    x = x.astype(mindspore.int32) if x.dtype == mindspore.bool_ else x
    same = mint.sum((x.unsqueeze(-1) == x.unsqueeze(-2)).astype(mindspore.int64), -1)
    often = same == mint.amax(same, -1, True)
    smallest = mint.amin(mint.where(often, x, mint.amax(x, -1, True)), -1, True)
    order = mint.arange(length, dtype=mindspore.int64)
    last = mint.amax(mint.where(x == smallest, order, mint.full_like(order, -1)), -1, True)
    # nothing is equal to nan
    places = mint.where(last < 0, mint.full_like(last, length - 1), last).swapaxes(d, -1)
    found = mint.gather(input, d, places)
    return (
        named(ValuesIndices, (found, places))
        if keepdim
        else named(ValuesIndices, (found.squeeze(d), places.squeeze(d)))
    )


def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """Return the covariances of the rows."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("mint.cov with weights")
    x = input if input.is_floating_point() else input.astype(mindspore.float32)
    x = x.reshape((1, -1)) if input.ndim < 2 else x
    centred = x - mint.mean(x, 1, True)
    product = mint.matmul(centred, mint.transpose(centred, 0, 1)) / (x.shape[1] - correction)
    return product.reshape(()) if x.shape[0] == 1 else product


def corrcoef(input: Tensor) -> Tensor:
    """Return the correlations of the rows."""
    if input.ndim < 2:
        return corrcoef(input.reshape((1, -1)))
    covariance = cov(input)
    if covariance.ndim == 0:
        return covariance / covariance
    deviation = mint.sqrt(mint.diag(covariance))
    return mint.clamp(covariance / deviation.unsqueeze(1) / deviation.unsqueeze(0), -1, 1)


def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Histogram:
    """Return the counts in `bins` (their number, or their edges) and the edges."""
    edges = bins.asnumpy() if isinstance(bins, Tensor) else bins
    weights = None if weight is None else weight.asnumpy().reshape(-1)
    counts, found = np.histogram(input.asnumpy().reshape(-1), edges, range=range, weights=weights, density=density)
    return named(Histogram, (Tensor(counts.astype(np.float64), input.dtype), Tensor(found, input.dtype)))


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Return the logarithm of the running sum of exponentials along `dim`."""
    if input.ndim == 0:
        return mint.clone(input)
    if twice():
        raise NotImplementedError("mint.logcumsumexp: its second derivative")
    # a shift per position keeps small sums beside large ones
    peak = ops.stop_gradient(mint.cummax(input, dim)[0])
    steps = [mint.narrow(input, dim, 0, 1) * 1]
    for i in range(1, input.shape[dim]):
        top = mint.narrow(peak, dim, i, 1)
        steps.append(top + mint.log(mint.exp(steps[-1] - top) + mint.exp(mint.narrow(input, dim, i, 1) - top)))
    return mint.cat(steps, dim)


def _steps(y: Tensor, x: Tensor | None, dx: float, dim: int) -> tuple[Tensor, Tensor]:
    """Return the means of neighbours along `dim` and the distances between them."""
    n, d = y.shape[dim], dim % y.ndim
    means = (mint.narrow(y, d, 1, n - 1) + mint.narrow(y, d, 0, n - 1)) * 0.5
    if x is None:
        return means, mint.full((), dx, dtype=y.dtype)
    line = x if x.ndim == y.ndim else x.reshape(tuple([-1 if i == d else 1 for i in range(y.ndim)]))
    return means, mint.narrow(line, d, 1, n - 1) - mint.narrow(line, d, 0, n - 1)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Return the integral along `dim` by the trapezoidal rule."""
    means, distances = _steps(y, x, dx, dim)
    return mint.sum(means * distances, dim)


trapz = trapezoid


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """Return the running integral along `dim` by the trapezoidal rule."""
    means, distances = _steps(y, x, dx, dim)
    return mint.cumsum(means * distances, dim)


def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Return central differences along each of `dim` (all by default), for one distance between the samples."""
    spacing = 1 if spacing is None else spacing
    if edge_order != 1 or not isinstance(spacing, (int, float)):
        raise NotImplementedError("mint.gradient with edge_order 2 or a spacing per dimension")
    along = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    found = []
    for d in along:
        n = input.shape[d]
        first = (mint.narrow(input, d, 1, 1) - mint.narrow(input, d, 0, 1)) / spacing
        last = (mint.narrow(input, d, n - 1, 1) - mint.narrow(input, d, n - 2, 1)) / spacing
        inner = (mint.narrow(input, d, 2, n - 2) - mint.narrow(input, d, 0, n - 2)) / (2 * spacing)
        found.append(mint.cat((first, inner, last), d) if n > 2 else mint.cat((first, last), d))
    return tuple(found)
