"""The image operations on PIL images."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps


class InterpolationMode(enum.Enum):
    """How pixels between pixels are computed."""

    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


_FILTERS = {
    InterpolationMode.NEAREST: Image.Resampling.NEAREST,
    InterpolationMode.NEAREST_EXACT: Image.Resampling.NEAREST,
    InterpolationMode.BILINEAR: Image.Resampling.BILINEAR,
    InterpolationMode.BICUBIC: Image.Resampling.BICUBIC,
    InterpolationMode.BOX: Image.Resampling.BOX,
    InterpolationMode.HAMMING: Image.Resampling.HAMMING,
    InterpolationMode.LANCZOS: Image.Resampling.LANCZOS,
}
_UNCOLOURED = ("L", "1", "I", "F")


def interpolation_mode(choice: Any) -> InterpolationMode:
    """Return the mode for a mode, its name, or PIL's number."""
    if isinstance(choice, InterpolationMode):
        return choice
    if isinstance(choice, str):
        return InterpolationMode(choice)
    return next(mode for mode, number in _FILTERS.items() if int(number) == int(choice))


def pil_filter(mode: InterpolationMode) -> Image.Resampling:
    """Return PIL's number of a mode."""
    return _FILTERS[mode]


def resize(image: Image.Image, size: tuple[int, int], mode: InterpolationMode) -> Image.Image:
    """Resize to (height, width)."""
    return image.resize((size[1], size[0]), _FILTERS[mode])


def crop(image: Image.Image, top: int, left: int, height: int, width: int) -> Image.Image:
    """Cut out; what lies outside is black."""
    return image.crop((left, top, left + width, top + height))


def fill_of(image: Image.Image, fill: Any) -> Any:
    """Return a fill value in the form that PIL wants for the image's bands."""
    bands = len(image.getbands())
    if fill is None:
        fill = 0
    if isinstance(fill, (list, tuple)):
        values = tuple(fill) * bands if len(fill) == 1 else tuple(fill)
        if len(values) != bands:
            raise ValueError(f"the fill has {len(values)} values and the image {bands} bands")
        return values if image.mode == "F" else tuple(int(value) for value in values)
    value = fill if image.mode == "F" else int(fill)
    return value if bands == 1 else (value,) * bands


def pad(image: Image.Image, borders: Sequence[int], fill: Any, mode: str) -> Image.Image:
    """Add (left, top, right, bottom) pixels; negative ones cut."""
    left, top, right, bottom = borders
    if mode == "constant":
        framed = ImageOps.expand(image, border=(left, top, right, bottom), fill=fill_of(image, fill))
        if image.mode == "P" and image.getpalette() is not None:
            framed.putpalette(image.getpalette())
        return framed
    inside = [-min(border, 0) for border in borders]
    image = image.crop((inside[0], inside[1], image.width - inside[2], image.height - inside[3]))
    outside = [max(border, 0) for border in borders]
    widths = [(outside[1], outside[3]), (outside[0], outside[2]), (0, 0)]
    array = np.asarray(image)
    padded = Image.fromarray(np.pad(array, widths[: array.ndim], mode))  # type: ignore[call-overload]
    if image.mode == "P":
        padded.putpalette(image.getpalette())
    return padded


def flip_horizontal(image: Image.Image) -> Image.Image:
    """Mirror left and right."""
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def flip_vertical(image: Image.Image) -> Image.Image:
    """Mirror top and bottom."""
    return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def adjust_hue(image: Image.Image, factor: float) -> Image.Image:
    """Turn the hue by a part of the circle, -0.5 to 0.5."""
    if image.mode in _UNCOLOURED:
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = (np.asarray(hue).astype(np.int64) + int(factor * 255)) % 256
    merged = Image.merge("HSV", (Image.fromarray(turned.astype(np.uint8), "L"), saturation, value))
    return merged.convert(image.mode)


def adjust_gamma(image: Image.Image, gamma: float, gain: float) -> Image.Image:
    """Apply gain * v ** gamma to values between 0 and 1."""
    table = [int((256 - 1e-3) * gain * (level / 255.0) ** gamma) for level in range(256)] * 3
    return image.convert("RGB").point(table).convert(image.mode)


def adjust(kind: str, image: Image.Image, factor: float) -> Image.Image:
    """Enhance "Brightness", "Contrast", "Color" (saturation) or "Sharpness" by a factor."""
    return getattr(ImageEnhance, kind)(image).enhance(factor)


def to_grayscale(image: Image.Image, channels: int) -> Image.Image:
    """Return the luminance in 1 or 3 equal bands."""
    grey = image.convert("L")
    return grey if channels == 1 else Image.merge("RGB", (grey, grey, grey))


def rotate(
    image: Image.Image, angle: float, mode: InterpolationMode, expand: bool, center: Any, fill: Any
) -> Image.Image:
    """Turn counter-clockwise by degrees."""
    return image.rotate(angle, _FILTERS[mode], expand, center, fillcolor=fill_of(image, fill))


def affine(image: Image.Image, matrix: Sequence[float], mode: InterpolationMode, fill: Any) -> Image.Image:
    """Apply the inverse of a map: where each output pixel comes from."""
    size = image.width, image.height
    return image.transform(size, Image.Transform.AFFINE, tuple(matrix), _FILTERS[mode], fillcolor=fill_of(image, fill))


def perspective(image: Image.Image, coefficients: Sequence[float], mode: InterpolationMode, fill: Any) -> Image.Image:
    """Apply a perspective map, given by where each output pixel comes from."""
    size = image.width, image.height
    return image.transform(
        size, Image.Transform.PERSPECTIVE, tuple(coefficients), _FILTERS[mode], fillcolor=fill_of(image, fill)
    )


def inverse_affine(
    center: Sequence[float], angle: float, translate: Sequence[float], scale: float, shear: Sequence[float]
) -> list[float]:
    """Return the inverse of: shear, turn and scale about the center, then translate; two rows of three numbers."""
    turn, shear_x, shear_y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    a = math.cos(turn - shear_y) / math.cos(shear_y)
    b = -math.cos(turn - shear_y) * math.tan(shear_x) / math.cos(shear_y) - math.sin(turn)
    c = math.sin(turn - shear_y) / math.cos(shear_y)
    d = -math.sin(turn - shear_y) * math.tan(shear_x) / math.cos(shear_y) + math.cos(turn)
    rows = [[d / scale, -b / scale], [-c / scale, a / scale]]
    moved = [-center[0] - translate[0], -center[1] - translate[1]]
    matrix: list[float] = []
    for row, middle in zip(rows, center):
        matrix += [*row, row[0] * moved[0] + row[1] * moved[1] + middle]
    return matrix


def perspective_coefficients(start: Sequence[Sequence[float]], end: Sequence[Sequence[float]]) -> list[float]:
    """Return the eight numbers of the map that takes the end points back to the start points."""
    equations = []
    for (x, y), (u, v) in zip(end, start):
        equations.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        equations.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    known = np.asarray(start, np.float64).reshape(8)
    return [float(number) for number in np.linalg.solve(np.asarray(equations, np.float64), known)]
