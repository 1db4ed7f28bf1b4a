"""Transforms between images and tensors, and of tensors."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from mindspore import Tensor

from ... import _rng
from ...data._host import to_array, to_tensor
from . import functional as F
from ._base import Transform, chance, integer, uniform
from ._conversion import to_host


class ToTensor:
    """A PIL image or an array (H, W, C) as a tensor (C, H, W); bytes become floats in 0 ... 1."""

    def __call__(self, pic: Any) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A PIL image as a tensor (C, H, W) of its own numbers."""

    def __call__(self, pic: Any) -> Tensor:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor (C, H, W) or an array (H, W, C) as a PIL image."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mode={self.mode})"


class ConvertImageDtype(Transform):
    """Another type, the values scaled to its range."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def forward(self, img: Tensor) -> Tensor:
        """Return the converted image."""
        return F.convert_image_dtype(img, self.dtype)


class Normalize(Transform):
    """(image - mean) / std for each channel."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> None:
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, img: Tensor) -> Tensor:
        """Return the normalized image."""
        return F.normalize(img, self.mean, self.std, self.inplace)


class LinearTransformation(Transform):
    """(flattened image - mean) times a matrix."""

    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor) -> None:
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def forward(self, img: Tensor) -> Tensor:
        """Return the transformed image."""
        matrix, mean = to_array(self.transformation_matrix), to_array(self.mean_vector)
        array = to_array(img)
        flat = array.reshape(-1, matrix.shape[0]) - mean
        return to_tensor((flat @ matrix).reshape(array.shape))


class RandomErasing(Transform):
    """A random rectangle of a tensor image replaced by a value or by noise, with a probability."""

    def __init__(
        self, p: float = 0.5, scale: Sequence[float] = (0.02, 0.33), ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0, inplace: bool = False,
    ) -> None:  # fmt: skip
        if isinstance(value, str) and value != "random":
            raise ValueError("If value is str, it should be 'random'")
        self.p = p
        self.scale = scale
        self.ratio = ratio
        self.value = value
        self.inplace = inplace

    @staticmethod
    def get_params(
        img: Tensor, scale: Sequence[float], ratio: Sequence[float], value: Sequence[float] | None = None
    ) -> tuple[int, int, int, int, Any]:
        """Draw (top, left, height, width, value)."""
        channels, height, width = img.shape[-3:]
        low, high = math.log(ratio[0]), math.log(ratio[1])
        for _ in range(10):
            area = height * width * uniform(scale[0], scale[1])
            shape = math.exp(uniform(low, high))
            h, w = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
            if not (h < height and w < width):
                continue
            if value is None:
                filling = _rng.normal((channels, h, w)).astype(np.float32)
            else:
                filling = np.asarray(value, np.float32).reshape(-1, 1, 1)
            return integer(0, height - h + 1), integer(0, width - w + 1), h, w, filling
        return 0, 0, height, width, to_host(img)

    def forward(self, img: Tensor) -> Tensor:
        """Return the image, with or without the rectangle."""
        if chance() >= self.p:
            return img
        if isinstance(self.value, numbers.Real):
            value: Any = [float(self.value)]
        else:
            value = None if isinstance(self.value, str) else [float(v) for v in self.value]
        top, left, height, width, filling = self.get_params(img, self.scale, self.ratio, value)
        return F.erase(img, top, left, height, width, filling, self.inplace)
