"""The activation of torchvision's models, which works in place: what keeps its input reads the activated values."""

from __future__ import annotations

from mindspore import Tensor

from ...mint import nn as layers

__all__ = ["InplaceReLU"]


class InplaceReLU(layers.ReLU):
    """ReLU that also writes its result into its input.

    Features are commonly taken by running the layers of a model one by one and keeping some results; torchvision's
    layers change what was kept. The input must be a tensor of its own, as convolutions and normalizations give it: for
    a view MindSpore has no gradient of the write. A compiled graph may read what was put into a list before the write.
    """

    def construct(self, input: Tensor) -> Tensor:
        result = super().construct(input)
        input.copy_(result)
        return result
