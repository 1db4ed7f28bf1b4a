"""`torch.distributions`: densities, samples, entropies and divergences.

https://pytorch.org/docs/stable/distributions.html
"""

from __future__ import annotations

from . import constraints, transforms, utils
from ._base import Distribution, ExponentialFamily
from .bernoulli import Bernoulli, Geometric
from .bounded import ContinuousBernoulli, GeneralizedPareto
from .categorical import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from .circular import VonMises
from .constraint_registry import biject_to, transform_to
from .continuous import Exponential, HalfCauchy, HalfNormal, Uniform
from .counts import Binomial, Multinomial, NegativeBinomial, Poisson
from .gamma import Beta, Chi2, Dirichlet, Gamma, StudentT
from .kl import kl_divergence, register_kl
from .location_scale import Cauchy, Gumbel, Laplace, Normal
from .low_rank import LowRankMultivariateNormal
from .matrix_valued import LKJCholesky, Wishart
from .multivariate import Independent, MixtureSameFamily, MultivariateNormal
from .powers import FisherSnedecor, InverseGamma, Kumaraswamy, Pareto, Weibull
from .relaxed import RelaxedBernoulli, RelaxedOneHotCategorical
from .transformed import LogisticNormal, LogNormal, TransformedDistribution
from .transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraints",
    "identity_transform",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
    "utils",
]
