"""Names that rules emit and the runtime does not have: their uses are refused. Made by `scripts/list_missing.py`."""

from __future__ import annotations

MISSING: frozenset[str] = frozenset(
    """
    distributions.CatTransform
    distributions.ContinuousBernoulli
    distributions.CorrCholeskyTransform
    distributions.CumulativeDistributionTransform
    distributions.ExponentialFamily
    distributions.IndependentTransform
    distributions.LKJCholesky
    distributions.LogisticNormal
    distributions.LowRankMultivariateNormal
    distributions.LowerCholeskyTransform
    distributions.PositiveDefiniteTransform
    distributions.ReshapeTransform
    distributions.SoftmaxTransform
    distributions.StackTransform
    distributions.StickBreakingTransform
    distributions.VonMises
    distributions.Wishart
    mint.nn.SyncBatchNorm.convert_sync_batchnorm
    """.split()
)
