"""Augmentation that picks its operations at random: RandAugment and TrivialAugment, for PIL images."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import functional as F
from ._base import Transform, integer
from ._pil import InterpolationMode, interpolation_mode

# name: the largest strength (None: the operation has none), and whether its sign is random
Space = dict[str, tuple[np.ndarray | None, bool]]


def _space(bins: int, shear: float, move: Sequence[float], turn: float, colour: float, bits: int) -> Space:
    def strengths(last: float) -> np.ndarray:
        return np.linspace(0.0, last, bins, dtype=np.float32)

    posterize = 8 - np.rint(np.arange(bins) / ((bins - 1) / bits)).astype(np.int64)
    signed = {
        "ShearX": shear, "ShearY": shear, "TranslateX": move[0], "TranslateY": move[1], "Rotate": turn,
        "Brightness": colour, "Color": colour, "Contrast": colour, "Sharpness": colour,
    }  # fmt: skip
    space: Space = {"Identity": (None, False)}
    space.update({name: (strengths(last), True) for name, last in signed.items()})
    space.update(Posterize=(posterize, False), Solarize=(strengths(255.0)[::-1], False))
    space.update(AutoContrast=(None, False), Equalize=(None, False))
    return space


def _affine(img: Any, mode: InterpolationMode, fill: Any, move: Sequence[int], shear: Sequence[float]) -> Any:
    # shears are taken about the corner, as the method's authors did
    center = [0, 0] if any(shear) else None
    return F.affine(img, 0.0, move, 1.0, shear, mode, fill, center)


def _apply(img: Any, name: str, strength: float, mode: InterpolationMode, fill: Any) -> Any:
    slope = math.degrees(math.atan(strength))
    operations: dict[str, Callable[[], Any]] = {
        "Identity": lambda: img,
        "ShearX": lambda: _affine(img, mode, fill, [0, 0], [slope, 0.0]),
        "ShearY": lambda: _affine(img, mode, fill, [0, 0], [0.0, slope]),
        "TranslateX": lambda: _affine(img, mode, fill, [int(strength), 0], [0.0, 0.0]),
        "TranslateY": lambda: _affine(img, mode, fill, [0, int(strength)], [0.0, 0.0]),
        "Rotate": lambda: F.rotate(img, strength, mode, fill=fill),
        "Brightness": lambda: F.adjust_brightness(img, 1.0 + strength),
        "Color": lambda: F.adjust_saturation(img, 1.0 + strength),
        "Contrast": lambda: F.adjust_contrast(img, 1.0 + strength),
        "Sharpness": lambda: F.adjust_sharpness(img, 1.0 + strength),
        "Posterize": lambda: F.posterize(img, int(strength)),
        "Solarize": lambda: F.solarize(img, strength),
        "AutoContrast": lambda: F.autocontrast(img),
        "Equalize": lambda: F.equalize(img),
    }
    return operations[name]()


class RandAugment(Transform):
    """Some operations of one strength, each drawn at random. https://arxiv.org/abs/1909.13719"""

    def __init__(
        self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31,
        interpolation: Any = InterpolationMode.NEAREST, fill: Any = None,
    ) -> None:  # fmt: skip
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation_mode(interpolation)
        self.fill = fill

    def forward(self, img: Any) -> Any:
        """Return the augmented image."""
        _, height, width = F.get_dimensions(img)
        move = [150.0 / 331.0 * width, 150.0 / 331.0 * height]
        space = _space(self.num_magnitude_bins, 0.3, move, 30.0, 0.9, 4)
        for _ in range(self.num_ops):
            name = list(space)[integer(0, len(space))]
            strengths, signed = space[name]
            strength = 0.0 if strengths is None else float(strengths[self.magnitude])
            if signed and integer(0, 2):
                strength = -strength
            img = _apply(img, name, strength, self.interpolation, self.fill)
        return img


class TrivialAugmentWide(Transform):
    """One operation of a random strength. https://arxiv.org/abs/2103.10158"""

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: Any = InterpolationMode.NEAREST, fill: Any = None
    ) -> None:
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation = interpolation_mode(interpolation)
        self.fill = fill

    def forward(self, img: Any) -> Any:
        """Return the augmented image."""
        space = _space(self.num_magnitude_bins, 0.99, [32.0, 32.0], 135.0, 0.99, 6)
        name = list(space)[integer(0, len(space))]
        strengths, signed = space[name]
        strength = 0.0 if strengths is None else float(strengths[integer(0, len(strengths))])
        if signed and integer(0, 2):
            strength = -strength
        return _apply(img, name, strength, self.interpolation, self.fill)
