"""Continuous stand-ins for draws of classes, whose samples carry a gradient (the Gumbel-softmax trick)."""

from __future__ import annotations

import math
from typing import Any

from mindspore import Tensor

from .. import _rng, mint
from ._base import numpy_type, tensors
from .bernoulli import OfProbability, clamp_probs
from .categorical import OfClasses
from .transformed import TransformedDistribution
from .transforms import ExpTransform, SigmoidTransform


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


class _Relaxed(TransformedDistribution):
    """A transformed distribution whose parameters are those of its base."""

    @property
    def temperature(self) -> Tensor:
        """How even the numbers are: near to the choices themselves at low temperatures."""
        return self.base_dist.temperature

    @property
    def probs(self) -> Tensor:
        """The probabilities of the choices."""
        return self.base_dist.probs

    @property
    def logits(self) -> Tensor:
        """The logarithms of their odds."""
        return self.base_dist.logits


class RelaxedBernoulli(_Relaxed):
    """A number between 0 and 1 that is near to one of them at low temperatures."""

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = _LogitRelaxedBernoulli(temperature, probs, logits, validate_args)
        super().__init__(base, SigmoidTransform(), validate_args)


class _ExpRelaxedCategorical(OfClasses):
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any, logits: Any, validate_args: bool | None) -> None:
        (self.temperature,) = tensors(temperature)
        super().__init__(probs, logits, validate_args)

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


class RelaxedOneHotCategorical(_Relaxed):
    """Shares of several classes, of which one is near to 1 at low temperatures."""

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = _ExpRelaxedCategorical(temperature, probs, logits, validate_args)
        super().__init__(base, ExpTransform(), validate_args)
