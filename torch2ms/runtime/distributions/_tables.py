"""The sets that the parameters and the values of each distribution belong to, by the names of the classes."""

from __future__ import annotations

from typing import Any

from . import constraints as c

_VECTOR = c.independent(c.real, 1)
_LOCATION: dict[str, Any] = {"loc": c.real, "scale": c.positive}
_PROBABILITY: dict[str, Any] = {"probs": c.unit_interval, "logits": c.real}
_CLASSES: dict[str, Any] = {"probs": c.simplex, "logits": _VECTOR}
_GAMMA: dict[str, Any] = {"concentration": c.positive, "rate": c.positive}
_BETA: dict[str, Any] = {"concentration1": c.positive, "concentration0": c.positive}

# what depends on the parameters is a property
ARGUMENTS: dict[str, Any] = {
    "Bernoulli": _PROBABILITY,
    "Beta": _BETA,
    "Binomial": {"total_count": c.nonnegative_integer, **_PROBABILITY},
    "Categorical": _CLASSES,
    "Cauchy": _LOCATION,
    "Chi2": {"df": c.positive},
    "ContinuousBernoulli": _PROBABILITY,
    "Dirichlet": {"concentration": c.independent(c.positive, 1)},
    "Exponential": {"rate": c.positive},
    "FisherSnedecor": {"df1": c.positive, "df2": c.positive},
    "Gamma": _GAMMA,
    "GeneralizedPareto": {**_LOCATION, "concentration": c.real},
    "Geometric": _PROBABILITY,
    "Gumbel": _LOCATION,
    "HalfCauchy": {"scale": c.positive},
    "HalfNormal": {"scale": c.positive},
    "Independent": {},
    "InverseGamma": _GAMMA,
    "Kumaraswamy": _BETA,
    "LKJCholesky": {"concentration": c.positive},
    "Laplace": _LOCATION,
    "LogNormal": _LOCATION,
    "LogisticNormal": _LOCATION,
    "LowRankMultivariateNormal": {
        "loc": _VECTOR,
        "cov_factor": c.independent(c.real, 2),
        "cov_diag": c.independent(c.positive, 1),
    },
    "MixtureSameFamily": {},
    "Multinomial": _CLASSES,
    "MultivariateNormal": {
        "loc": _VECTOR,
        "covariance_matrix": c.positive_definite,
        "precision_matrix": c.positive_definite,
        "scale_tril": c.lower_cholesky,
    },
    "NegativeBinomial": {
        "total_count": c.greater_than_eq(0),
        "probs": c.half_open_interval(0.0, 1.0),
        "logits": c.real,
    },
    "Normal": _LOCATION,
    "OneHotCategorical": _CLASSES,
    "Pareto": {"alpha": c.positive, "scale": c.positive},
    "Poisson": {"rate": c.nonnegative},
    "RelaxedBernoulli": _PROBABILITY,
    "RelaxedOneHotCategorical": _CLASSES,
    "StudentT": {"df": c.positive, **_LOCATION},
    "TransformedDistribution": {},
    "Uniform": property(lambda d: {"low": c.less_than(d.high), "high": c.greater_than(d.low)}),
    "VonMises": {"loc": c.real, "concentration": c.positive},
    "Weibull": {"scale": c.positive, "concentration": c.positive},
    "Wishart": property(
        lambda d: {
            "covariance_matrix": c.positive_definite,
            "precision_matrix": c.positive_definite,
            "scale_tril": c.lower_cholesky,
            "df": c.greater_than(d.event_shape[-1] - 1),
        }
    ),
}

SUPPORTS: dict[str, Any] = {
    "Bernoulli": c.boolean,
    "Beta": c.unit_interval,
    "Binomial": c.dependent_property(lambda d: c.integer_interval(0, d.total_count), is_discrete=True, event_dim=0),
    "Categorical": c.dependent_property(
        lambda d: c.integer_interval(0, d._num_events - 1), is_discrete=True, event_dim=0
    ),
    "Cauchy": c.real,
    "ContinuousBernoulli": c.unit_interval,
    "Dirichlet": c.simplex,
    "Exponential": c.nonnegative,
    "FisherSnedecor": c.positive,
    "Gamma": c.nonnegative,
    "Geometric": c.nonnegative_integer,
    "Gumbel": c.real,
    "HalfCauchy": c.nonnegative,
    "HalfNormal": c.nonnegative,
    "InverseGamma": c.positive,
    "Kumaraswamy": c.unit_interval,
    "LKJCholesky": c.corr_cholesky,
    "Laplace": c.real,
    "LogNormal": c.positive,
    "LogisticNormal": c.simplex,
    "LowRankMultivariateNormal": c.real_vector,
    "MixtureSameFamily": c.dependent_property(
        lambda d: c.MixtureSameFamilyConstraint(d.component_distribution.support)
    ),
    "Multinomial": c.dependent_property(lambda d: c.multinomial(d.total_count), is_discrete=True, event_dim=1),
    "MultivariateNormal": c.real_vector,
    "NegativeBinomial": c.nonnegative_integer,
    "Normal": c.real,
    "OneHotCategorical": c.one_hot,
    "Pareto": c.dependent_property(lambda d: c.greater_than_eq(d.scale), is_discrete=False, event_dim=0),
    "Poisson": c.nonnegative_integer,
    "RelaxedBernoulli": c.unit_interval,
    "RelaxedOneHotCategorical": c.simplex,
    "StudentT": c.real,
    "Uniform": c.dependent_property(lambda d: c.interval(d.low, d.high), is_discrete=False, event_dim=0),
    "VonMises": c.real,
    "Weibull": c.positive,
    "Wishart": c.positive_definite,
    "_ExpRelaxedCategorical": c.real_vector,
    "_LogitRelaxedBernoulli": c.real,
}
