"""Kullback-Leibler divergences between distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mindspore import Tensor, ops

from .. import mint
from ._base import Distribution, sum_last
from ._matrices import log_determinant, solve_lower
from .bernoulli import Bernoulli
from .categorical import Categorical, OneHotCategorical
from .continuous import Exponential, Uniform
from .gamma import Beta, Dirichlet, Gamma
from .location_scale import Laplace, Normal
from .multivariate import Independent, MultivariateNormal
from .transformed import LogNormal

F = mint.nn.functional
_Divergence = Callable[[Any, Any], Tensor]
_divergences: dict[tuple[type, type], _Divergence] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[_Divergence], _Divergence]:
    """Add the divergence of two kinds of distributions, as a decorator."""

    def add(function: _Divergence) -> _Divergence:
        _divergences[type_p, type_q] = function
        return function

    return add


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return how far q is from p."""
    for first in type(p).__mro__:
        for second in type(q).__mro__:
            if (first, second) in _divergences:
                return _divergences[first, second](p, q)
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc) / q.scale
    square = ratio * ratio
    return 0.5 * (square + distance * distance - 1 - mint.log(square))


@register_kl(LogNormal, LogNormal)
def _log_normal(p: LogNormal, q: LogNormal) -> Tensor:
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    one = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    return one + (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    impossible = mint.logical_and(q.probs == 0, p.probs > 0)
    terms = mint.where(impossible, ops.full_like(terms, float("inf")), terms)
    return mint.sum(mint.where(p.probs == 0, ops.zeros_like(terms), terms), -1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    inside = mint.log((q.high - q.low) / (p.high - p.low))
    outside = mint.logical_or(q.low > p.low, q.high < p.high)
    return mint.where(outside, ops.full_like(inside, float("inf")), inside)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - mint.log(ratio) - 1


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, mint.abs(p.loc - q.loc)
    return -mint.log(ratio) + distance / q.scale + ratio * mint.exp(-distance / p.scale) - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    first = q.concentration * mint.log(p.rate / q.rate)
    second = ops.lgamma(q.concentration) - ops.lgamma(p.concentration)
    third = (p.concentration - q.concentration) * ops.digamma(p.concentration)
    return first + second + third + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    first = ops.lgamma(q.concentration1) + ops.lgamma(q.concentration0) + ops.lgamma(total_p)
    second = ops.lgamma(p.concentration1) + ops.lgamma(p.concentration0) + ops.lgamma(total_q)
    third = (p.concentration1 - q.concentration1) * ops.digamma(p.concentration1)
    fourth = (p.concentration0 - q.concentration0) * ops.digamma(p.concentration0)
    return first - second + third + fourth + (total_q - total_p) * ops.digamma(total_p)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    total_p, total_q = mint.sum(p.concentration, -1), mint.sum(q.concentration, -1)
    first = ops.lgamma(total_p) - ops.lgamma(total_q)
    second = mint.sum(ops.lgamma(p.concentration) - ops.lgamma(q.concentration), -1)
    change = ops.digamma(p.concentration) - ops.digamma(total_p).unsqueeze(-1)
    return first - second + mint.sum((p.concentration - q.concentration) * change, -1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: MultivariateNormal, q: MultivariateNormal) -> Tensor:
    n = p.event_shape[0]
    columns = [solve_lower(q.scale_tril, p.scale_tril[..., i]) for i in range(n)]
    trace: Any = sum(mint.sum(column * column, -1) for column in columns)
    distance = solve_lower(q.scale_tril, q.loc - p.loc)
    change = log_determinant(q.scale_tril) - log_determinant(p.scale_tril)
    return change + 0.5 * (trace + mint.sum(distance * distance, -1) - n)


@register_kl(Independent, Independent)
def _independent(p: Independent, q: Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("the divergence of Independent distributions of different depth")
    return sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    distance = p.loc - q.loc
    ratio = p.scale / q.scale
    spread = distance / p.scale
    first = math.sqrt(2 / math.pi) * p.scale * mint.exp(-0.5 * spread * spread)
    second = distance * mint.erf(math.sqrt(0.5) * spread)
    return -mint.log(ratio) + (first + second) / q.scale - (0.5 + 0.5 * math.log(0.5 * math.pi))
