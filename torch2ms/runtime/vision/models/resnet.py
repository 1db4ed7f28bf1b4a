"""Residual networks with torchvision's names of layers. https://arxiv.org/abs/1512.03385"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore import Tensor

from ...mint import nn as layers
from ...nn import Cell, SequentialCell, init, modules
from ._inplace import InplaceReLU
from ._weights import load_weights


def _conv3(inputs: int, outputs: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> Cell:
    return layers.Conv2d(inputs, outputs, 3, stride, dilation, dilation, groups, bias=False)


def _conv1(inputs: int, outputs: int, stride: int = 1) -> Cell:
    return layers.Conv2d(inputs, outputs, 1, stride, bias=False)


class BasicBlock(Cell):
    """Two convolutions beside the identity."""

    expansion = 1

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: Cell | None = None, groups: int = 1,
        base_width: int = 64, dilation: int = 1, norm_layer: Callable[[int], Cell] = layers.BatchNorm2d,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups != 1 or base_width != 64 or dilation > 1:
            raise ValueError("BasicBlock only supports groups=1, base_width=64 and dilation=1")
        self.conv1 = _conv3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = layers.ReLU()
        self.conv2 = _conv3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def construct(self, x: Tensor) -> Tensor:
        """Return the features of a block."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        identity = x if self.downsample is None else self.downsample(x)
        return self.relu(out + identity)


class Bottleneck(Cell):
    """A narrow convolution between two of size 1, beside the identity."""

    expansion = 4

    def __init__(
        self, inplanes: int, planes: int, stride: int = 1, downsample: Cell | None = None, groups: int = 1,
        base_width: int = 64, dilation: int = 1, norm_layer: Callable[[int], Cell] = layers.BatchNorm2d,
    ) -> None:  # fmt: skip
        super().__init__()
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = _conv1(inplanes, width)
        self.bn1 = norm_layer(width)
        self.conv2 = _conv3(width, width, stride, groups, dilation)
        self.bn2 = norm_layer(width)
        self.conv3 = _conv1(width, planes * self.expansion)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = layers.ReLU()
        self.downsample = downsample
        self.stride = stride

    def construct(self, x: Tensor) -> Tensor:
        """Return the features of a block."""
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        identity = x if self.downsample is None else self.downsample(x)
        return self.relu(out + identity)


class ResNet(Cell):
    """A residual network: images (N, 3, H, W) to scores (N, num_classes)."""

    def __init__(
        self, block: Any, blocks: Sequence[int], num_classes: int = 1000, zero_init_residual: bool = False,
        groups: int = 1, width_per_group: int = 64, replace_stride_with_dilation: Sequence[bool] | None = None,
        norm_layer: Callable[[int], Cell] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._norm_layer = norm_layer or layers.BatchNorm2d
        self.inplanes, self.dilation = 64, 1
        self.groups, self.base_width = groups, width_per_group
        dilate = replace_stride_with_dilation or (False, False, False)
        self.conv1 = layers.Conv2d(3, self.inplanes, 7, 2, 3, bias=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = InplaceReLU()
        self.maxpool = layers.MaxPool2d(3, 2, 1)
        self.layer1 = self._layer(block, 64, blocks[0])
        self.layer2 = self._layer(block, 128, blocks[1], 2, dilate[0])
        self.layer3 = self._layer(block, 256, blocks[2], 2, dilate[1])
        self.layer4 = self._layer(block, 512, blocks[3], 2, dilate[2])
        self.avgpool = layers.AdaptiveAvgPool2d((1, 1))
        self.fc = layers.Linear(512 * block.expansion, num_classes)
        self._initialize(zero_init_residual)

    def _layer(self, block: Any, planes: int, count: int, stride: int = 1, dilate: bool = False) -> Cell:
        before = self.dilation
        if dilate:
            self.dilation, stride = self.dilation * stride, 1
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            outputs = planes * block.expansion
            downsample = SequentialCell(_conv1(self.inplanes, outputs, stride), self._norm_layer(outputs))
        common = self.groups, self.base_width
        made = [block(self.inplanes, planes, stride, downsample, *common, before, self._norm_layer)]
        self.inplanes = planes * block.expansion
        for _ in range(1, count):
            made.append(block(self.inplanes, planes, 1, None, *common, self.dilation, self._norm_layer))
        return SequentialCell(*made)

    def _initialize(self, zero_init_residual: bool) -> None:
        for cell in modules(self):
            if isinstance(cell, layers.Conv2d):
                init.kaiming_normal_(cell.weight, mode="fan_out", nonlinearity="relu")
        if zero_init_residual:
            for cell in modules(self):
                if isinstance(cell, (BasicBlock, Bottleneck)):
                    init.constant_((cell.bn3 if isinstance(cell, Bottleneck) else cell.bn2).weight, 0)

    def construct(self, x: Tensor) -> Tensor:
        """Return the scores."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        x = self.avgpool(x)
        return self.fc(x.reshape(x.shape[0], -1))


_SHAPES: dict[str, tuple[Any, tuple[int, int, int, int]]] = {
    "resnet18": (BasicBlock, (2, 2, 2, 2)),
    "resnet34": (BasicBlock, (3, 4, 6, 3)),
    "resnet50": (Bottleneck, (3, 4, 6, 3)),
    "resnet101": (Bottleneck, (3, 4, 23, 3)),
    "resnet152": (Bottleneck, (3, 8, 36, 3)),
}


def _make(name: str, weights: Any, progress: bool, pretrained: bool, options: dict[str, Any]) -> ResNet:
    block, blocks = _SHAPES[name]
    net = ResNet(block, blocks, **options)
    load_weights(net, name, weights, pretrained, progress)
    return net


def resnet18(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> ResNet:
    """Return a network of 18 layers."""
    return _make("resnet18", weights, progress, pretrained, options)


def resnet34(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> ResNet:
    """Return a network of 34 layers."""
    return _make("resnet34", weights, progress, pretrained, options)


def resnet50(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> ResNet:
    """Return a network of 50 layers."""
    return _make("resnet50", weights, progress, pretrained, options)


def resnet101(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> ResNet:
    """Return a network of 101 layers."""
    return _make("resnet101", weights, progress, pretrained, options)


def resnet152(weights: Any = None, progress: bool = True, *, pretrained: bool = False, **options: Any) -> ResNet:
    """Return a network of 152 layers."""
    return _make("resnet152", weights, progress, pretrained, options)
