"""Distributions, transforms and constraints, with some of one's own."""
import torch
import torch.distributions as D
from torch.distributions import Normal, TransformedDistribution, biject_to, constraints, transform_to
from torch.distributions.transforms import (
    AffineTransform,
    SigmoidTransform,
    TanhTransform,
    Transform,
)
from torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class Cubed(Transform):
    domain = constraints.real
    codomain = constraints.real
    bijective = True
    sign = +1

    def _call(self, x):
        return x ** 3

    def _inverse(self, y):
        return y.sign() * y.abs().pow(1 / 3)

    def log_abs_det_jacobian(self, x, y):
        return (3 * x ** 2).log()


class Shifted(D.Distribution):
    arg_constraints = {"shift": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, shift, validate_args=None):
        self.shift = shift
        super().__init__(shift.shape, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -value - self.shift


RESULT = []
x = torch.tensor([0.5, -0.3, 1.2])
d = TransformedDistribution(Normal(torch.zeros(3), torch.ones(3)), [TanhTransform(cache_size=1)])
RESULT.append(d.log_prob(torch.tensor([0.1, 0.5, -0.9])))
RESULT.append(transform_to(constraints.positive)(x))
RESULT.append(biject_to(constraints.simplex)(x))
RESULT.append(transform_to(Normal.arg_constraints["scale"])(x))
RESULT.append(biject_to(D.Dirichlet(torch.ones(4)).support)(x))
RESULT.append(TransformedDistribution(Normal(torch.zeros(3), 1.0), Cubed()).log_prob(torch.tensor([0.1, 0.5, -0.9])))
RESULT.append(Shifted(torch.tensor([1.0])).log_prob(torch.tensor([2.0])))
try:
    Shifted(torch.tensor([-1.0]))
except ValueError:
    RESULT.append("refused")
logistic = TransformedDistribution(D.Uniform(torch.tensor([0.0]), 1.0), [SigmoidTransform().inv, AffineTransform(loc=0.0, scale=1.0)])
RESULT.append(logistic.log_prob(torch.tensor([0.3])))
RESULT.append(D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2)).log_prob(torch.ones(2)))
RESULT.append(D.Wishart(torch.tensor(3.0), torch.eye(2)).log_prob(torch.eye(2) * 2))
RESULT.append(D.VonMises(torch.tensor([1.0]), torch.tensor([4.0])).variance)
RESULT.append(D.ContinuousBernoulli(torch.tensor([0.3])).entropy())
if constraints.is_dependent(constraints.dependent):
    RESULT.append(isinstance(Normal(0.0, 1.0), D.ExponentialFamily))
a, b = broadcast_all(torch.ones(2), 3.0)
RESULT.append(b)


class Own(D.Distribution):
    arg_constraints = {"probs": constraints.unit_interval}
    support = constraints.boolean

    def __init__(self, probs=None, logits=None):
        self.given = probs is not None
        (self._param,) = broadcast_all(probs if self.given else logits)
        self.probs = self._param if self.given else logits_to_probs(self._param, is_binary=True)
        super().__init__(self._param.shape)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs, is_binary=True)


RESULT.append(Own(logits=torch.tensor([0.5, -2.0])).logits)
RESULT.append(Own(probs=torch.tensor([0.0, 0.3])).logits)
