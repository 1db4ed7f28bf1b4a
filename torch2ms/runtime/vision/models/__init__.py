"""The residual and VGG networks of `torchvision.models`; their trained weights load by name."""

from __future__ import annotations

import enum
from typing import Any

from ._weights import FILES
from .resnet import BasicBlock, Bottleneck, ResNet, resnet18, resnet34, resnet50, resnet101, resnet152
from .vgg import VGG, AlexNet, alexnet, vgg11, vgg11_bn, vgg13, vgg13_bn, vgg16, vgg16_bn, vgg19, vgg19_bn

_SPELLINGS = {"resnet": "ResNet", "vgg": "VGG", "alexnet": "AlexNet"}


def _weights_of(name: str) -> type[enum.Enum]:
    members = {f"IMAGENET1K_V{i + 1}": f"IMAGENET1K_V{i + 1}" for i in range(len(FILES[name]))}
    return enum.Enum(_title(name), {**members, "DEFAULT": f"IMAGENET1K_V{len(members)}"})  # type: ignore[return-value]


def _title(name: str) -> str:
    start = next(start for start in _SPELLINGS if name.startswith(start))
    return _SPELLINGS[start] + name.removeprefix(start).upper() + "_Weights"


# ResNet18_Weights, VGG16_BN_Weights, ...
_WEIGHTS: dict[str, Any] = {_title(name): _weights_of(name) for name in FILES}
globals().update(_WEIGHTS)


__all__ = [
    "AlexNet", "BasicBlock", "Bottleneck", "ResNet", "VGG", "alexnet", "resnet101", "resnet152", "resnet18", "resnet34",
    "resnet50", "vgg11", "vgg11_bn", "vgg13", "vgg13_bn", "vgg16", "vgg16_bn", "vgg19", "vgg19_bn",
]  # fmt: skip
