"""The image operations on arrays (..., height, width), for images that are tensors already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from ._pil import InterpolationMode, pil_filter

_LUMINANCE = (0.2989, 0.587, 0.114)


def crop(array: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Cut out; what lies outside is zero."""
    h, w = array.shape[-2:]
    if top >= 0 and left >= 0 and top + height <= h and left + width <= w:
        return array[..., top : top + height, left : left + width]
    borders = [max(-left, 0), max(-top, 0), max(left + width - w, 0), max(top + height - h, 0)]
    framed = pad(array, borders, 0, "constant")
    top, left = max(top, 0), max(left, 0)
    return framed[..., top : top + height, left : left + width]


def pad(array: np.ndarray, borders: Sequence[int], fill: Any, mode: str) -> np.ndarray:
    """Add (left, top, right, bottom) pixels; negative ones cut."""
    left, top, right, bottom = borders
    h, w = array.shape[-2:]
    array = array[..., max(-top, 0) : h - max(-bottom, 0), max(-left, 0) : w - max(-right, 0)]
    widths = [(0, 0)] * (array.ndim - 2) + [(max(top, 0), max(bottom, 0)), (max(left, 0), max(right, 0))]
    if mode == "constant":
        if isinstance(fill, (list, tuple)):
            if len(fill) != 1:
                raise ValueError("a tensor image is padded with one value")
            fill = fill[0]
        return np.pad(array, widths, "constant", constant_values=fill or 0)
    return np.pad(array, widths, mode)  # type: ignore[call-overload]


def flip_horizontal(array: np.ndarray) -> np.ndarray:
    """Mirror left and right."""
    return array[..., ::-1]


def flip_vertical(array: np.ndarray) -> np.ndarray:
    """Mirror top and bottom."""
    return array[..., ::-1, :]


def resize(array: np.ndarray, size: tuple[int, int], mode: InterpolationMode, antialias: bool) -> np.ndarray:
    """Resize to (height, width), every plane by itself."""
    if mode is InterpolationMode.NEAREST:
        rows = np.arange(size[0]) * array.shape[-2] // size[0]
        columns = np.arange(size[1]) * array.shape[-1] // size[1]
        return array[..., rows[:, None], columns]
    if mode not in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC, InterpolationMode.NEAREST_EXACT):
        raise ValueError("tensor images are resized with nearest, nearest-exact, bilinear or bicubic interpolation")
    if not antialias and mode is not InterpolationMode.NEAREST_EXACT:
        raise NotImplementedError("tensor images are resized with antialias=True only; resize before ToTensor")
    # PIL's filter on single planes is the one that PyTorch took over as antialias=True
    planes = array.reshape(-1, *array.shape[-2:]).astype(np.float32)
    resized = [np.asarray(Image.fromarray(p).resize((size[1], size[0]), pil_filter(mode))) for p in planes]
    result = np.stack(resized).reshape(*array.shape[:-2], *size)
    if array.dtype.kind in "iu":
        result = np.clip(np.rint(result), 0, np.iinfo(array.dtype).max)
    return result.astype(array.dtype)


def to_grayscale(array: np.ndarray, channels: int) -> np.ndarray:
    """Return the luminance in 1 or 3 equal channels; an image of one channel stays as it is."""
    if array.shape[-3] == 1:
        return array
    red, green, blue = (array[..., i, :, :].astype(np.float32) for i in range(3))
    grey = (_LUMINANCE[0] * red + _LUMINANCE[1] * green + _LUMINANCE[2] * blue).astype(array.dtype)
    return np.repeat(grey[..., None, :, :], channels, -3)


def blend(first: np.ndarray, second: Any, ratio: float) -> np.ndarray:
    """Mix two images and keep the range."""
    bound = 255.0 if first.dtype.kind in "iu" else 1.0
    mixed = ratio * first.astype(np.float32) + (1.0 - ratio) * second
    return np.clip(mixed, 0, bound).astype(first.dtype)


def adjust(kind: str, array: np.ndarray, factor: float) -> np.ndarray:
    """Enhance "Brightness", "Contrast" or "Color" (saturation) by a factor."""
    if kind == "Brightness":
        return blend(array, np.float32(0), factor)
    grey = to_grayscale(array, 1).astype(np.float32)
    if kind == "Contrast":
        return blend(array, grey.mean((-3, -2, -1), keepdims=True), factor)
    if kind == "Color":
        return blend(array, grey, factor)
    raise NotImplementedError(f"{kind} of tensor images; apply the transform before ToTensor")


def blur(array: np.ndarray, kernel: Sequence[int], sigma: Sequence[float]) -> np.ndarray:
    """Blur with Gaussian weights, reflected at the border; `kernel` and `sigma` are (x, y)."""
    half_x, half_y = kernel[0] // 2, kernel[1] // 2
    framed = pad(array.astype(np.float32), [half_x, half_y, half_x, half_y], 0, "reflect")
    weights_x, weights_y = (_gaussian(size, spread) for size, spread in zip(kernel, sigma))
    width, height = array.shape[-1], array.shape[-2]
    across = sum(weight * framed[..., i : i + width] for i, weight in enumerate(weights_x))
    down = sum(weight * across[..., i : i + height, :] for i, weight in enumerate(weights_y))
    return (np.rint(down) if array.dtype.kind in "iu" else down).astype(array.dtype)


def _gaussian(size: int, sigma: float) -> np.ndarray:
    places = np.linspace(-(size - 1) * 0.5, (size - 1) * 0.5, size, dtype=np.float32)
    weights = np.exp(-0.5 * (places / np.float32(sigma)) ** 2)
    return weights / weights.sum()
