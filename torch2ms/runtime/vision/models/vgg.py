"""VGG networks and AlexNet with torchvision's names of layers. https://arxiv.org/abs/1409.1556"""

from __future__ import annotations

from typing import Any

from mindspore import Tensor

from ...mint import nn as layers
from ...nn import Cell, SequentialCell, init, modules
from ._inplace import InplaceReLU
from ._weights import load_weights

# how many convolutions stand before each of the five poolings
_DEPTHS = {"11": (1, 1, 2, 2, 2), "13": (2, 2, 2, 2, 2), "16": (2, 2, 3, 3, 3), "19": (2, 2, 4, 4, 4)}
_WIDTHS = (64, 128, 256, 512, 512)


def _features(depth: str, batch_norm: bool) -> Cell:
    made: list[Cell] = []
    inputs = 3
    for count, width in zip(_DEPTHS[depth], _WIDTHS):
        for _ in range(count):
            made.append(layers.Conv2d(inputs, width, 3, padding=1))
            made += [layers.BatchNorm2d(width)] if batch_norm else []
            made.append(InplaceReLU())
            inputs = width
        made.append(layers.MaxPool2d(2, 2))
    return SequentialCell(*made)


class VGG(Cell):
    """A VGG network: images (N, 3, H, W) to scores (N, num_classes)."""

    def __init__(
        self, features: Cell, num_classes: int = 1000, init_weights: bool = True, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.features = features
        self.avgpool = layers.AdaptiveAvgPool2d((7, 7))
        self.classifier = SequentialCell(
            layers.Linear(512 * 7 * 7, 4096),
            InplaceReLU(),
            layers.Dropout(dropout),
            layers.Linear(4096, 4096),
            InplaceReLU(),
            layers.Dropout(dropout),
            layers.Linear(4096, num_classes),
        )
        if init_weights:
            self._initialize()

    def _initialize(self) -> None:
        for cell in modules(self):
            if isinstance(cell, layers.Conv2d):
                init.kaiming_normal_(cell.weight, mode="fan_out", nonlinearity="relu")
                init.constant_(cell.bias, 0)
            elif isinstance(cell, layers.Linear):
                init.normal_(cell.weight, 0, 0.01)
                init.constant_(cell.bias, 0)

    def construct(self, x: Tensor) -> Tensor:
        """Return the scores."""
        x = self.avgpool(self.features(x))
        return self.classifier(x.reshape(x.shape[0], -1))


class AlexNet(Cell):
    """AlexNet: images (N, 3, H, W) to scores (N, num_classes). https://arxiv.org/abs/1404.5997"""

    def __init__(self, num_classes: int = 1000, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = SequentialCell(
            layers.Conv2d(3, 64, 11, 4, 2),
            InplaceReLU(),
            layers.MaxPool2d(3, 2),
            layers.Conv2d(64, 192, 5, padding=2),
            InplaceReLU(),
            layers.MaxPool2d(3, 2),
            layers.Conv2d(192, 384, 3, padding=1),
            InplaceReLU(),
            layers.Conv2d(384, 256, 3, padding=1),
            InplaceReLU(),
            layers.Conv2d(256, 256, 3, padding=1),
            InplaceReLU(),
            layers.MaxPool2d(3, 2),
        )
        self.avgpool = layers.AdaptiveAvgPool2d((6, 6))
        self.classifier = SequentialCell(
            layers.Dropout(dropout),
            layers.Linear(256 * 6 * 6, 4096),
            InplaceReLU(),
            layers.Dropout(dropout),
            layers.Linear(4096, 4096),
            InplaceReLU(),
            layers.Linear(4096, num_classes),
        )

    def construct(self, x: Tensor) -> Tensor:
        """Return the scores."""
        x = self.avgpool(self.features(x))
        return self.classifier(x.reshape(x.shape[0], -1))


def _make(name: str, weights: Any, progress: bool, pretrained: bool, options: dict[str, Any]) -> VGG:
    if weights is not None or pretrained:
        options["init_weights"] = False
    depth, _, suffix = name.removeprefix("vgg").partition("_")
    net = VGG(_features(depth, suffix == "bn"), **options)
    load_weights(net, name, weights, pretrained, progress)
    return net


def vgg11(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 11 layers."""
    return _make("vgg11", weights, progress, pretrained, options)


def vgg11_bn(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 11 layers with batch normalization."""
    return _make("vgg11_bn", weights, progress, pretrained, options)


def vgg13(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 13 layers."""
    return _make("vgg13", weights, progress, pretrained, options)


def vgg13_bn(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 13 layers with batch normalization."""
    return _make("vgg13_bn", weights, progress, pretrained, options)


def vgg16(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 16 layers."""
    return _make("vgg16", weights, progress, pretrained, options)


def vgg16_bn(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 16 layers with batch normalization."""
    return _make("vgg16_bn", weights, progress, pretrained, options)


def vgg19(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 19 layers."""
    return _make("vgg19", weights, progress, pretrained, options)


def vgg19_bn(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> VGG:
    """Return a network of 19 layers with batch normalization."""
    return _make("vgg19_bn", weights, progress, pretrained, options)


def alexnet(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> AlexNet:
    """Return AlexNet."""
    net = AlexNet(**options)
    load_weights(net, "alexnet", weights, pretrained, progress)
    return net
