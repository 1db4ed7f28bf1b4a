"""Padding and resizing layers."""

from __future__ import annotations

from typing import Any

import mindspore.mint.nn as _mint
from mindspore import Tensor

from ....nn.cell import Cell
from .. import functional as F

__all__ = [
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "PixelUnshuffle",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _CircularPad(Cell):
    rank = 0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.rank) if isinstance(padding, int) else tuple(padding)

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="circular")


class ConstantPad1d(Cell, _mint.ConstantPad1d):
    """Pad the last dimension with a constant."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad2d(Cell, _mint.ConstantPad2d):
    """Pad the last two dimensions with a constant."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad3d(Cell, _mint.ConstantPad3d):
    """Pad the last three dimensions with a constant."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)


class ZeroPad1d(Cell, _mint.ZeroPad1d):
    """Pad the last dimension with zeros."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", 0)


class ZeroPad2d(Cell, _mint.ZeroPad2d):
    """Pad the last two dimensions with zeros."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", 0)


class ZeroPad3d(Cell, _mint.ZeroPad3d):
    """Pad the last three dimensions with zeros."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", 0)


class ReflectionPad1d(Cell, _mint.ReflectionPad1d):
    """Pad the last dimension with the reflection at the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="reflect")


class ReflectionPad2d(Cell, _mint.ReflectionPad2d):
    """Pad the last two dimensions with the reflection at the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="reflect")


class ReflectionPad3d(Cell, _mint.ReflectionPad3d):
    """Pad the last three dimensions with the reflection at the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="reflect")


class ReplicationPad1d(Cell, _mint.ReplicationPad1d):
    """Pad the last dimension with the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="replicate")


class ReplicationPad2d(Cell, _mint.ReplicationPad2d):
    """Pad the last two dimensions with the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="replicate")


class ReplicationPad3d(Cell, _mint.ReplicationPad3d):
    """Pad the last three dimensions with the border."""

    def construct(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, mode="replicate")


class CircularPad1d(_CircularPad):
    """Pad the last dimension with the opposite border."""

    rank = 1


class CircularPad2d(_CircularPad):
    """Pad the last two dimensions with the opposite border."""

    rank = 2


class CircularPad3d(_CircularPad):
    """Pad the last three dimensions with the opposite border."""

    rank = 3


class Upsample(Cell, _mint.Upsample):
    """Resize to a size or by a factor."""

    def construct(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class UpsamplingNearest2d(Cell, _mint.UpsamplingNearest2d):
    """Resize (N, C, H, W) by the nearest elements."""

    def construct(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, "nearest")


class UpsamplingBilinear2d(Cell, _mint.UpsamplingBilinear2d):
    """Resize (N, C, H, W) bilinearly, the corners aligned."""

    def construct(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, "bilinear", True)


class PixelUnshuffle(Cell):
    """Space moved into channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Channels interleaved between groups."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def construct(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)
