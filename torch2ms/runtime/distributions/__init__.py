"""`torch.distributions`: densities, samples, entropies and divergences.

https://pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from ._base import Distribution
from .bernoulli import Bernoulli, Geometric
from .categorical import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .continuous import Exponential, HalfCauchy, HalfNormal, Uniform
from .counts import Binomial, Multinomial, NegativeBinomial, Poisson
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .kl import kl_divergence, register_kl
from .location_scale import Cauchy, Gumbel, Laplace, Normal
from .multivariate import Independent, MixtureSameFamily, MultivariateNormal
from .powers import FisherSnedecor, InverseGamma, Kumaraswamy, Pareto, Weibull
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed import (
    AbsTransform,
    AffineTransform,
    ComposeTransform,
    ExpTransform,
    LogNormal,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
    Transform,
    TransformedDistribution,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "FisherSnedecor",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "Kumaraswamy",
    "Laplace",
    "LogNormal",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "SigmoidTransform",
    "SoftplusTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "Weibull",
    "kl_divergence",
    "register_kl",
]
