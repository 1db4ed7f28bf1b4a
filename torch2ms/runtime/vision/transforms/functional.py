"""Image functions under the names of `torchvision.transforms.functional`, for PIL images and tensors (..., C, H, W).

https://pytorch.org/vision/stable/transforms.html
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mindspore import Tensor
from PIL import Image, ImageOps

from ... import _backend
from ...data._host import to_array
from ...data._host import to_tensor as _from_array
from . import _array, _pil
from ._base import pair
from ._conversion import convert_image_dtype, normalize, pil_to_tensor, to_host, to_pil_image
from ._conversion import image_to_tensor as to_tensor
from ._pil import InterpolationMode, interpolation_mode

__all__ = [
    "InterpolationMode", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "adjust_sharpness", "affine", "autocontrast", "center_crop", "convert_image_dtype", "crop", "equalize", "erase",
    "five_crop", "gaussian_blur", "get_dimensions", "get_image_num_channels", "get_image_size", "hflip", "invert", "normalize", "pad",
    "perspective", "pil_to_tensor", "posterize", "resize", "resized_crop", "rgb_to_grayscale", "rotate", "solarize",
    "ten_crop", "to_grayscale", "to_pil_image", "to_tensor", "vflip",
]  # fmt: skip


def _on_tensor(image: Any, function: Callable[..., np.ndarray], *arguments: Any) -> Tensor:
    if not isinstance(image, Tensor):
        raise TypeError(f"img should be PIL Image or Tensor. Got {type(image)}")
    if _backend.requires_grad(image):
        raise NotImplementedError(
            f"{function.__name__} of an image that takes part in a gradient: image transforms compute outside of gradients"
        )
    return _from_array(np.ascontiguousarray(function(to_array(image), *arguments)))


def _only_pil(image: Any, what: str) -> Image.Image:
    if isinstance(image, Image.Image):
        return image
    raise NotImplementedError(f"{what} of tensor images: apply it to the PIL image, before ToTensor")


def get_dimensions(img: Any) -> list[int]:
    """Return [channels, height, width]."""
    if isinstance(img, Tensor):
        return [1 if img.ndim == 2 else img.shape[-3], *img.shape[-2:]]
    if isinstance(img, Image.Image):
        return [len(img.getbands()), img.height, img.width]
    raise TypeError(f"Unexpected type {type(img)}")


def get_image_size(img: Any) -> list[int]:
    """Return [width, height]."""
    _, height, width = get_dimensions(img)
    return [width, height]


def get_image_num_channels(img: Any) -> int:
    """Return the number of channels."""
    return get_dimensions(img)[0]


def resize(
    img: Any, size: Any, interpolation: Any = InterpolationMode.BILINEAR, max_size: int | None = None,
    antialias: bool | None = True,
) -> Any:  # fmt: skip
    """Resize to (height, width), or so that the shorter edge gets a length and the longer at most `max_size`."""
    mode = interpolation_mode(interpolation)
    _, height, width = get_dimensions(img)
    wanted = _resized((height, width), size, max_size)
    if (height, width) == wanted:
        return img
    if isinstance(img, Image.Image):
        return _pil.resize(img, wanted, mode)
    return _on_tensor(img, _array.resize, wanted, mode, bool(antialias))


def _resized(now: tuple[int, int], size: Any, max_size: int | None) -> tuple[int, int]:
    sizes = [size] if isinstance(size, int) else [int(value) for value in size]
    if len(sizes) == 2:
        if max_size is not None:
            raise ValueError("max_size should only be passed if size specifies the length of the smaller edge")
        return sizes[0], sizes[1]
    if len(sizes) != 1:
        raise ValueError(f"Size must be an int or a 1 or 2 element tuple/list, not a {len(sizes)} element tuple/list")
    short, long = min(now), max(now)
    new_short, new_long = sizes[0], int(sizes[0] * long / short)
    if max_size is not None:
        if max_size <= sizes[0]:
            raise ValueError(f"max_size = {max_size} must be strictly greater than the requested size {sizes[0]}")
        if new_long > max_size:
            new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_long, new_short) if now[1] <= now[0] else (new_short, new_long)


def pad(img: Any, padding: Any, fill: Any = 0, padding_mode: str = "constant") -> Any:
    """Add a border: one width, [left and right, top and bottom], or [left, top, right, bottom]."""
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    widths: list[Any] = [padding] if isinstance(padding, numbers.Real) else list(padding)
    if len(widths) not in (1, 2, 4):
        raise ValueError(f"Padding must be an int or a 1, 2, or 4 element tuple, not a {len(widths)} element tuple")
    borders = widths * (4 // len(widths))
    if isinstance(img, Image.Image):
        return _pil.pad(img, borders, fill, padding_mode)
    return _on_tensor(img, _array.pad, borders, fill, padding_mode)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Cut out a rectangle; what lies outside of the image is zero."""
    if isinstance(img, Image.Image):
        return _pil.crop(img, top, left, height, width)
    return _on_tensor(img, _array.crop, top, left, height, width)


def center_crop(img: Any, output_size: Any) -> Any:
    """Cut out the middle, (height, width)."""
    wanted_height, wanted_width = pair(output_size)
    _, height, width = get_dimensions(img)
    if wanted_width > width or wanted_height > height:
        extra_width, extra_height = max(wanted_width - width, 0), max(wanted_height - height, 0)
        img = pad(img, [extra_width // 2, extra_height // 2, (extra_width + 1) // 2, (extra_height + 1) // 2])
        _, height, width = get_dimensions(img)
    top, left = round((height - wanted_height) / 2.0), round((width - wanted_width) / 2.0)
    return crop(img, top, left, wanted_height, wanted_width)


def resized_crop(
    img: Any, top: int, left: int, height: int, width: int, size: Any,
    interpolation: Any = InterpolationMode.BILINEAR, antialias: bool | None = True,
) -> Any:  # fmt: skip
    """Cut out a rectangle and resize it."""
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def hflip(img: Any) -> Any:
    """Mirror left and right."""
    return _pil.flip_horizontal(img) if isinstance(img, Image.Image) else _on_tensor(img, _array.flip_horizontal)


def vflip(img: Any) -> Any:
    """Mirror top and bottom."""
    return _pil.flip_vertical(img) if isinstance(img, Image.Image) else _on_tensor(img, _array.flip_vertical)


def five_crop(img: Any, size: Any) -> tuple[Any, ...]:
    """Return the crops at the four corners (top left, top right, bottom left, bottom right) and in the middle."""
    h, w = pair(size)
    _, height, width = get_dimensions(img)
    if w > width or h > height:
        raise ValueError(f"Requested crop size {(h, w)} is bigger than input size {(height, width)}")
    corners = [(0, 0), (0, width - w), (height - h, 0), (height - h, width - w)]
    return (*(crop(img, top, left, h, w) for top, left in corners), center_crop(img, [h, w]))


def ten_crop(img: Any, size: Any, vertical_flip: bool = False) -> tuple[Any, ...]:
    """Return the five crops of the image and of its mirror image."""
    return five_crop(img, size) + five_crop(vflip(img) if vertical_flip else hflip(img), size)


def _adjust(kind: str, img: Any, factor: float) -> Any:
    if isinstance(img, Image.Image):
        return _pil.adjust(kind, img, factor)
    return _on_tensor(img, lambda array: _array.adjust(kind, array, factor))


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Scale the brightness; 0 is black, 1 leaves the image."""
    return _adjust("Brightness", img, brightness_factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Scale the contrast; 0 is grey, 1 leaves the image."""
    return _adjust("Contrast", img, contrast_factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Scale the colour; 0 is black and white, 1 leaves the image."""
    return _adjust("Color", img, saturation_factor)


def adjust_sharpness(img: Any, sharpness_factor: float) -> Any:
    """Scale the sharpness; 0 is blurred, 1 leaves the image."""
    return _adjust("Sharpness", img, sharpness_factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """Turn the hue by -0.5 ... 0.5 of the circle."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    return _pil.adjust_hue(_only_pil(img, "adjust_hue"), hue_factor)


def adjust_gamma(img: Any, gamma: float, gain: float = 1) -> Any:
    """Apply gain * v ** gamma to the values."""
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    return _pil.adjust_gamma(_only_pil(img, "adjust_gamma"), gamma, gain)


def to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Return the luminance of a PIL image in 1 or 3 bands."""
    return _pil.to_grayscale(_only_pil(img, "to_grayscale"), num_output_channels)


def rgb_to_grayscale(img: Any, num_output_channels: int = 1) -> Any:
    """Return the luminance in 1 or 3 channels."""
    if isinstance(img, Image.Image):
        return _pil.to_grayscale(img, num_output_channels)
    return _on_tensor(img, _array.to_grayscale, num_output_channels)


def rotate(
    img: Any, angle: float, interpolation: Any = InterpolationMode.NEAREST, expand: bool = False,
    center: Sequence[float] | None = None, fill: Any = None,
) -> Any:  # fmt: skip
    """Turn counter-clockwise by degrees."""
    return _pil.rotate(_only_pil(img, "rotate"), angle, interpolation_mode(interpolation), expand, center, fill)


def affine(
    img: Any, angle: float, translate: Sequence[float], scale: float, shear: Any,
    interpolation: Any = InterpolationMode.NEAREST, fill: Any = None, center: Sequence[float] | None = None,
) -> Any:  # fmt: skip
    """Shear, turn and scale about the center, then move."""
    image = _only_pil(img, "affine")
    shears: list[Any] = [shear, 0.0] if isinstance(shear, numbers.Real) else [*shear, 0.0][:2]
    middle = center if center is not None else (image.width * 0.5, image.height * 0.5)
    matrix = _pil.inverse_affine(middle, angle, list(translate), scale, shears)
    return _pil.affine(image, matrix, interpolation_mode(interpolation), fill)


def perspective(
    img: Any, startpoints: Sequence[Sequence[int]], endpoints: Sequence[Sequence[int]],
    interpolation: Any = InterpolationMode.BILINEAR, fill: Any = None,
) -> Any:  # fmt: skip
    """Move the four start points to the four end points."""
    coefficients = _pil.perspective_coefficients(startpoints, endpoints)
    return _pil.perspective(_only_pil(img, "perspective"), coefficients, interpolation_mode(interpolation), fill)


def gaussian_blur(img: Any, kernel_size: Any, sigma: Any = None) -> Any:
    """Blur with Gaussian weights; sizes and widths are one number or (x, y)."""
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size) * (2 // len(kernel_size))
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in sizes]
    widths = [float(sigma)] * 2 if isinstance(sigma, numbers.Real) else list(sigma) * (2 // len(sigma))
    if isinstance(img, Image.Image):
        blurred = _on_tensor(pil_to_tensor(img), _array.blur, sizes, widths)
        return to_pil_image(blurred, mode=img.mode)
    return _on_tensor(img, _array.blur, sizes, widths)


def invert(img: Any) -> Any:
    """Return the negative."""
    return ImageOps.invert(_only_pil(img, "invert"))


def posterize(img: Any, bits: int) -> Any:
    """Keep the upper bits of each channel."""
    return ImageOps.posterize(_only_pil(img, "posterize"), bits)


def solarize(img: Any, threshold: float) -> Any:
    """Invert the values from a threshold on."""
    return ImageOps.solarize(_only_pil(img, "solarize"), int(threshold))


def autocontrast(img: Any) -> Any:
    """Spread each channel over the whole range."""
    return ImageOps.autocontrast(_only_pil(img, "autocontrast"))


def equalize(img: Any) -> Any:
    """Spread the histogram of each channel evenly."""
    return ImageOps.equalize(_only_pil(img, "equalize"))


def erase(img: Any, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False) -> Any:
    """Put a value into a rectangle of a tensor image."""

    def fill(array: np.ndarray) -> np.ndarray:
        erased = array if inplace else array.copy()
        erased[..., i : i + h, j : j + w] = to_host(v)
        return erased

    return _on_tensor(img, fill)
