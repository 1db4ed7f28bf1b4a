"""Transforms that change colours."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from ... import _rng
from . import functional as F
from ._base import Transform, chance, uniform

Range = tuple[float, float] | None


def _factor_range(value: Any, what: str, center: float = 1.0, low: float = 0.0, high: float = float("inf")) -> Range:
    if isinstance(value, numbers.Real):
        if value < 0:
            raise ValueError(f"If {what} is a single number, it must be non negative.")
        first, last = center - float(value), center + float(value)
        first = max(first, 0.0) if center == 1.0 else first
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        first, last = float(value[0]), float(value[1])
    else:
        raise TypeError(f"{what} should be a single number or a list/tuple with length 2.")
    if not low <= first <= last <= high:
        raise ValueError(f"{what} values should be between ({low}, {high}), but got {(first, last)}.")
    return None if first == last == center else (first, last)


class ColorJitter(Transform):
    """Random brightness, contrast, saturation and hue, in random order."""

    def __init__(self, brightness: Any = 0, contrast: Any = 0, saturation: Any = 0, hue: Any = 0) -> None:
        self.brightness = _factor_range(brightness, "brightness")
        self.contrast = _factor_range(contrast, "contrast")
        self.saturation = _factor_range(saturation, "saturation")
        self.hue = _factor_range(hue, "hue", 0.0, -0.5, 0.5)

    @staticmethod
    def get_params(brightness: Range, contrast: Range, saturation: Range, hue: Range) -> tuple[Any, ...]:
        """Draw (order, brightness, contrast, saturation, hue)."""
        order = _rng.permutation(4)
        drawn = [None if limits is None else uniform(*limits) for limits in (brightness, contrast, saturation, hue)]
        return (order, *drawn)

    def forward(self, img: Any) -> Any:
        """Return the image in other colours."""
        order, *factors = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        functions = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for i in order.tolist():
            if factors[i] is not None:
                img = functions[i](img, factors[i])
        return img


class Grayscale(Transform):
    """The image in grey."""

    def __init__(self, num_output_channels: int = 1) -> None:
        self.num_output_channels = num_output_channels

    def forward(self, img: Any) -> Any:
        """Return the grey image."""
        return F.rgb_to_grayscale(img, self.num_output_channels)


class RandomGrayscale(Transform):
    """The image in grey, with as many channels, with a probability."""

    def __init__(self, p: float = 0.1) -> None:
        self.p = p

    def forward(self, img: Any) -> Any:
        """Return the image or the grey one."""
        channels = F.get_dimensions(img)[0]
        return F.rgb_to_grayscale(img, channels) if chance() < self.p else img


class GaussianBlur(Transform):
    """A blur of random width."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)) -> None:
        sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
        if any(size <= 0 or size % 2 == 0 for size in sizes):
            raise ValueError("Kernel size value should be an odd and positive number.")
        self.kernel_size = sizes
        self.sigma = (float(sigma),) * 2 if isinstance(sigma, numbers.Real) else tuple(sigma)
        if not 0.0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(f"sigma values should be positive and of the form (min, max). Got {self.sigma}")

    @staticmethod
    def get_params(sigma_min: float, sigma_max: float) -> float:
        """Draw the width."""
        return uniform(sigma_min, sigma_max)

    def forward(self, img: Any) -> Any:
        """Return the blurred image."""
        width = self.get_params(*self.sigma)
        return F.gaussian_blur(img, self.kernel_size, [width, width])


class _Sometimes(Transform):
    """One function, with a probability."""

    function: Callable[..., Any]

    def __init__(self, p: float = 0.5) -> None:
        self.p = p
        self._arguments: Sequence[Any] = ()

    def forward(self, img: Any) -> Any:
        """Return the image, changed or not."""
        return type(self).function(img, *self._arguments) if chance() < self.p else img


class RandomInvert(_Sometimes):
    """The negative, with a probability."""

    function = staticmethod(F.invert)


class RandomAutocontrast(_Sometimes):
    """The largest contrast, with a probability."""

    function = staticmethod(F.autocontrast)


class RandomEqualize(_Sometimes):
    """An even histogram, with a probability."""

    function = staticmethod(F.equalize)


class RandomPosterize(_Sometimes):
    """Fewer bits, with a probability."""

    function = staticmethod(F.posterize)

    def __init__(self, bits: int, p: float = 0.5) -> None:
        super().__init__(p)
        self.bits, self._arguments = bits, (bits,)


class RandomSolarize(_Sometimes):
    """Bright values inverted, with a probability."""

    function = staticmethod(F.solarize)

    def __init__(self, threshold: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.threshold, self._arguments = threshold, (threshold,)


class RandomAdjustSharpness(_Sometimes):
    """Another sharpness, with a probability."""

    function = staticmethod(F.adjust_sharpness)

    def __init__(self, sharpness_factor: float, p: float = 0.5) -> None:
        super().__init__(p)
        self.sharpness_factor, self._arguments = sharpness_factor, (sharpness_factor,)
