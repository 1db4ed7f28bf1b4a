"""Features taken from the layers of a network one by one: what is kept before a ReLU is what PyTorch keeps."""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import vision

IMAGES = np.random.RandomState(0).randn(1, 3, 16, 16).astype(np.float32)
COUNT = 7


def _reference(layers: list[Any]) -> torch.nn.Sequential:
    """The same layers in PyTorch, with torchvision's `inplace=True`."""
    made: list[torch.nn.Module] = []
    for layer in layers:
        name = type(layer).__name__
        if name == "Conv2d":
            conv = torch.nn.Conv2d(layer.in_channels, layer.out_channels, 3, padding=1)
            conv.weight.data = torch.from_numpy(layer.weight.asnumpy().copy())
            conv.bias.data = torch.from_numpy(layer.bias.asnumpy().copy())
            made.append(conv)
        elif name == "BatchNorm2d":
            made.append(torch.nn.BatchNorm2d(layer.num_features))
        else:
            made.append(torch.nn.ReLU(inplace=True) if "ReLU" in name else torch.nn.MaxPool2d(2, 2))
    return torch.nn.Sequential(*made)


def _kept(layers: Any, images: Any) -> list[Any]:
    kept = []
    for layer in layers:
        images = layer(images)
        kept.append(images)
    return kept


def _loss(layers: Any, images: Any) -> Any:
    return sum(((part * part).mean() * (n + 1) for n, part in enumerate(_kept(layers, images))), 0.0)


@pytest.mark.parametrize("name", ["vgg11", "vgg11_bn"])
def test_values_and_gradients(name: str) -> None:
    layers = list(getattr(vision.models, name)(num_classes=2).features)[:COUNT]
    theirs = _reference(layers)
    if name.endswith("bn"):
        for ours, other in zip(layers, theirs, strict=True):
            ours.set_train(False)
            other.eval()
    images = torch.from_numpy(IMAGES).requires_grad_()
    expected = _loss(theirs, images)
    expected.backward()

    def compute(x: Tensor) -> Tensor:
        return _loss(layers, x)

    loss, gradient = mindspore.value_and_grad(compute)(Tensor(IMAGES))
    assert abs(float(loss) - expected.item()) < 1e-5 * abs(expected.item())
    np.testing.assert_allclose(gradient.asnumpy(), images.grad.numpy(), rtol=1e-4, atol=1e-7)
    for ours, other in zip(_kept(layers, Tensor(IMAGES)), _kept(theirs, torch.from_numpy(IMAGES)), strict=True):
        np.testing.assert_allclose(ours.asnumpy(), other.detach().numpy(), rtol=1e-4, atol=1e-5)
