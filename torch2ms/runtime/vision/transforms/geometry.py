"""Transforms that move pixels: sizes, crops, flips, turns."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

from . import functional as F
from ._base import Transform, bounds, chance, integer, pair, uniform
from ._pil import InterpolationMode, interpolation_mode


class Resize(Transform):
    """Resize to (height, width), or the shorter edge to a length."""

    def __init__(
        self, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None,
        antialias: bool | None = True,
    ) -> None:  # fmt: skip
        if not isinstance(size, (int, list, tuple)):
            raise TypeError(f"Size should be int or sequence. Got {type(size)}")
        self.size = size
        self.interpolation = interpolation_mode(interpolation)
        self.max_size = max_size
        self.antialias = antialias

    def forward(self, img: Any) -> Any:
        """Return the resized image."""
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)


class CenterCrop(Transform):
    """The middle of the image."""

    def __init__(self, size: Any) -> None:
        self.size = pair(size)

    def forward(self, img: Any) -> Any:
        """Return the middle."""
        return F.center_crop(img, self.size)


class Pad(Transform):
    """A border around the image."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> None:
        self.padding = padding
        self.fill = fill
        self.padding_mode = padding_mode

    def forward(self, img: Any) -> Any:
        """Return the image with its border."""
        return F.pad(img, self.padding, self.fill, self.padding_mode)


class RandomCrop(Transform):
    """A rectangle at a random place, after padding."""

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = "constant"
    ) -> None:
        self.size = pair(size)
        self.padding = padding
        self.pad_if_needed = pad_if_needed
        self.fill = fill
        self.padding_mode = padding_mode

    @staticmethod
    def get_params(img: Any, output_size: tuple[int, int]) -> tuple[int, int, int, int]:
        """Draw (top, left, height, width)."""
        _, h, w = F.get_dimensions(img)
        height, width = output_size
        if h < height or w < width:
            raise ValueError(f"Required crop size {(height, width)} is larger than input image size {(h, w)}")
        if (h, w) == (height, width):
            return 0, 0, h, w
        return integer(0, h - height + 1), integer(0, w - width + 1), height, width

    def forward(self, img: Any) -> Any:
        """Return the rectangle."""
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            _, height, width = F.get_dimensions(img)
            if width < self.size[1]:
                img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
            if height < self.size[0]:
                img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))


class RandomHorizontalFlip(Transform):
    """The mirror image, with a probability."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def forward(self, img: Any) -> Any:
        """Return the image or its mirror image."""
        return F.hflip(img) if chance() < self.p else img


class RandomVerticalFlip(Transform):
    """The image upside down, with a probability."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def forward(self, img: Any) -> Any:
        """Return the image or the one upside down."""
        return F.vflip(img) if chance() < self.p else img


class RandomResizedCrop(Transform):
    """A rectangle of random area and shape, resized."""

    def __init__(
        self, size: Any, scale: Sequence[float] = (0.08, 1.0), ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True,
    ) -> None:  # fmt: skip
        if scale[0] > scale[1] or ratio[0] > ratio[1]:
            warnings.warn("Scale and ratio should be of kind (min, max)", stacklevel=2)
        self.size = pair(size)
        self.scale = scale
        self.ratio = ratio
        self.interpolation = interpolation_mode(interpolation)
        self.antialias = antialias

    @staticmethod
    def get_params(img: Any, scale: Sequence[float], ratio: Sequence[float]) -> tuple[int, int, int, int]:
        """Draw (top, left, height, width)."""
        _, height, width = F.get_dimensions(img)
        low, high = math.log(ratio[0]), math.log(ratio[1])
        for _ in range(10):
            area = height * width * uniform(scale[0], scale[1])
            shape = math.exp(uniform(low, high))
            w, h = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if 0 < w <= width and 0 < h <= height:
                return integer(0, height - h + 1), integer(0, width - w + 1), h, w
        present = width / height
        w, h = width, height
        if present < min(ratio):
            h = round(w / min(ratio))
        elif present > max(ratio):
            w = round(h * max(ratio))
        return (height - h) // 2, (width - w) // 2, h, w

    def forward(self, img: Any) -> Any:
        """Return the resized rectangle."""
        place = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *place, self.size, self.interpolation, self.antialias)


class FiveCrop(Transform):
    """The four corners and the middle."""

    def __init__(self, size: Any) -> None:
        self.size = pair(size)

    def forward(self, img: Any) -> tuple[Any, ...]:
        """Return five images."""
        return F.five_crop(img, self.size)


class TenCrop(Transform):
    """The four corners and the middle of the image and of its mirror image."""

    def __init__(self, size: Any, vertical_flip: bool = False) -> None:
        self.size = pair(size)
        self.vertical_flip = vertical_flip

    def forward(self, img: Any) -> tuple[Any, ...]:
        """Return ten images."""
        return F.ten_crop(img, self.size, self.vertical_flip)


class RandomRotation(Transform):
    """A turn by a random angle in degrees."""

    def __init__(
        self, degrees: Any, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False,
        center: Sequence[float] | None = None, fill: Any = 0,
    ) -> None:  # fmt: skip
        self.degrees = bounds(degrees, "degrees")
        self.interpolation = interpolation_mode(interpolation)
        self.expand = expand
        self.center = center
        self.fill = fill

    @staticmethod
    def get_params(degrees: Sequence[float]) -> float:
        """Draw the angle."""
        return uniform(float(degrees[0]), float(degrees[1]))

    def forward(self, img: Any) -> Any:
        """Return the turned image."""
        angle = self.get_params(self.degrees)
        return F.rotate(img, angle, self.interpolation, self.expand, self.center, self.fill)


class RandomAffine(Transform):
    """A random turn, move, scale and shear about the middle."""

    def __init__(
        self, degrees: Any, translate: Sequence[float] | None = None, scale: Sequence[float] | None = None,
        shear: Any = None, interpolation: Any = InterpolationMode.NEAREST, fill: Any = 0,
        center: Sequence[float] | None = None,
    ) -> None:  # fmt: skip
        self.degrees = bounds(degrees, "degrees")
        self.translate = translate
        self.scale = scale
        self.shear: Any = None
        if shear is not None:
            self.shear = bounds(shear, "shear") if isinstance(shear, numbers.Real) else [float(s) for s in shear]
        self.interpolation = interpolation_mode(interpolation)
        self.fill = fill
        self.center = center

    @staticmethod
    def get_params(
        degrees: Sequence[float], translate: Sequence[float] | None, scale_ranges: Sequence[float] | None,
        shears: Sequence[float] | None, img_size: Sequence[int],
    ) -> tuple[float, tuple[int, int], float, tuple[float, float]]:  # fmt: skip
        """Draw (angle, (x, y), scale, (x shear, y shear))."""
        angle = uniform(float(degrees[0]), float(degrees[1]))
        moved = (0, 0)
        if translate is not None:
            x, y = float(translate[0] * img_size[0]), float(translate[1] * img_size[1])
            moved = round(uniform(-x, x)), round(uniform(-y, y))
        scale = uniform(scale_ranges[0], scale_ranges[1]) if scale_ranges is not None else 1.0
        shear_x = uniform(shears[0], shears[1]) if shears is not None else 0.0
        shear_y = uniform(shears[2], shears[3]) if shears is not None and len(shears) == 4 else 0.0
        return angle, moved, scale, (shear_x, shear_y)

    def forward(self, img: Any) -> Any:
        """Return the transformed image."""
        size = F.get_image_size(img)
        drawn = self.get_params(self.degrees, self.translate, self.scale, self.shear, size)
        return F.affine(img, *drawn, interpolation=self.interpolation, fill=self.fill, center=self.center)


class RandomPerspective(Transform):
    """A random view from the side, with a probability."""

    def __init__(
        self, distortion_scale: float = 0.5, p: float = 0.5, interpolation: Any = InterpolationMode.BILINEAR,
        fill: Any = 0,
    ) -> None:  # fmt: skip
        self.distortion_scale = distortion_scale
        self.p = p
        self.interpolation = interpolation_mode(interpolation)
        self.fill = fill

    @staticmethod
    def get_params(width: int, height: int, distortion_scale: float) -> tuple[list[list[int]], list[list[int]]]:
        """Draw where the four corners go: (corners, their new places)."""
        x, y = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        near_x, near_y = (0, x + 1), (0, y + 1)
        far_x, far_y = (width - x - 1, width), (height - y - 1, height)
        ranges = [(near_x, near_y), (far_x, near_y), (far_x, far_y), (near_x, far_y)]
        moved = [[integer(*across), integer(*down)] for across, down in ranges]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], moved

    def forward(self, img: Any) -> Any:
        """Return the image or a view of it."""
        if chance() >= self.p:
            return img
        _, height, width = F.get_dimensions(img)
        corners, moved = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, corners, moved, self.interpolation, self.fill)
