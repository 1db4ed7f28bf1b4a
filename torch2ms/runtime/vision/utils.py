"""`torchvision.utils`: many images in one, and images to files. https://pytorch.org/vision/stable/utils.html"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mindspore import Tensor
from PIL import Image

from ..data._host import to_array, to_tensor


def _images(tensor: Any) -> np.ndarray:
    """Return images (N, C, H, W) with three channels for grey ones."""
    if isinstance(tensor, (list, tuple)):
        array = np.stack([to_array(image) for image in tensor])
    elif isinstance(tensor, Tensor):
        array = to_array(tensor)
    else:
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    if array.ndim == 2:
        array = array[None]
    if array.ndim == 3:
        array = np.repeat(array, 3, 0)[None] if array.shape[0] == 1 else array[None]
    elif array.ndim == 4 and array.shape[1] == 1:
        array = np.repeat(array, 3, 1)
    return array


def _normalized(array: np.ndarray, value_range: Sequence[float] | None) -> np.ndarray:
    low, high = (array.min(), array.max()) if value_range is None else value_range
    return (np.clip(array, low, high) - low) / max(high - low, 1e-5)


def _grid(
    tensor: Any,
    nrow: int,
    padding: int,
    normalize: bool,
    value_range: Sequence[float] | None,
    scale_each: bool,
    pad_value: float,
) -> np.ndarray:
    array = _images(tensor)
    if normalize:
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
        if scale_each:
            array = np.stack([_normalized(image, value_range) for image in array])
        else:
            array = _normalized(array, value_range)
    if array.shape[0] == 1:
        return array[0]
    count, channels, height, width = array.shape
    columns = min(nrow, count)
    rows = math.ceil(count / columns)
    height, width = height + padding, width + padding
    grid = np.full((channels, height * rows + padding, width * columns + padding), pad_value, array.dtype)
    for i, image in enumerate(array):
        top, left = i // columns * height + padding, i % columns * width + padding
        grid[:, top : top + height - padding, left : left + width - padding] = image
    return grid


def make_grid(
    tensor: Any,
    nrow: int = 8,
    padding: int = 2,
    normalize: bool = False,
    value_range: tuple[float, float] | None = None,
    scale_each: bool = False,
    pad_value: float = 0.0,
    *,
    range: tuple[float, float] | None = None,
) -> Tensor:
    """Return one image (C, H, W) of the images (N, C, H, W), `nrow` in a row. `range` is the old `value_range`."""
    return to_tensor(_grid(tensor, nrow, padding, normalize, value_range or range, scale_each, pad_value))


def save_image(tensor: Any, fp: Any, format: str | None = None, **kwargs: Any) -> None:
    """Write images with values in 0 ... 1 to a file; the options are those of `make_grid`."""
    grid = to_array(make_grid(tensor, **kwargs)).astype(np.float32)
    pixels = np.clip(grid * 255 + 0.5, 0, 255).astype(np.uint8).transpose(1, 2, 0)
    Image.fromarray(np.ascontiguousarray(pixels)).save(fp, format=format)
