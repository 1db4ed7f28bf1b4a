"""Continuous stand-ins for draws of classes, whose samples carry a gradient (the Gumbel-softmax trick)."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor

from .. import _rng, mint
from ._base import Distribution, numpy_type, tensors
from .bernoulli import OfProbability, clamp_probs
from .categorical import Categorical
from .transformed import ExpTransform, SigmoidTransform, TransformedDistribution


def _uniforms(shape: tuple[int, ...], like: Tensor) -> Tensor:
    return clamp_probs(Tensor(_rng.uniform(shape, dtype=numpy_type(like)), like.dtype))


class _LogitRelaxedBernoulli(OfProbability):
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        super().__init__(probs, logits, validate_args)
        (self.temperature,) = tensors(temperature)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        probs = clamp_probs(self.probs)
        uniforms = _uniforms(self._extended_shape(sample_shape), probs)
        noise = mint.log(uniforms) - mint.log1p(-uniforms)
        return (noise + mint.log(probs) - mint.log1p(-probs)) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        difference = self.logits - value * self.temperature
        return mint.log(self.temperature) + difference - 2 * mint.log1p(mint.exp(difference))


class RelaxedBernoulli(TransformedDistribution):
    """A number between 0 and 1 that is near to one of them at low temperatures."""

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = _LogitRelaxedBernoulli(temperature, probs, logits, validate_args)
        super().__init__(base, SigmoidTransform(), validate_args)

    @property
    def temperature(self) -> Tensor:
        """How far from 0 and 1 the numbers are."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Tensor:
        """The probability of 1."""
        return self.base_dist.probs

    @property
    def logits(self) -> Tensor:
        """The logarithm of its odds."""
        return self.base_dist.logits


class _ExpRelaxedCategorical(Distribution):
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        self._categorical = Categorical(probs, logits, validate_args)
        (self.temperature,) = tensors(temperature)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args)

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        uniforms = _uniforms(self._extended_shape(sample_shape), self.logits)
        scores = (self.logits - mint.log(-mint.log(uniforms))) / self.temperature
        return scores - mint.logsumexp(scores, -1, True)

    def log_prob(self, value: Tensor) -> Tensor:
        classes = self._event_shape[0]
        logits, value = tensors(self.logits, value)
        scores = logits - value * self.temperature
        scores = mint.sum(scores - mint.logsumexp(scores, -1, True), -1)
        return scores + (math.lgamma(classes) + (classes - 1) * mint.log(self.temperature))


class RelaxedOneHotCategorical(TransformedDistribution):
    """Shares of several classes, of which one is near to 1 at low temperatures."""

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = _ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)

    @property
    def temperature(self) -> Tensor:
        """How even the shares are."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Tensor:
        """The probabilities of the classes."""
        return self.base_dist.probs

    @property
    def logits(self) -> Tensor:
        """Their logarithms."""
        return self.base_dist.logits
