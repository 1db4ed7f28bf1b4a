"""Between PIL images, arrays and tensors; and scaling of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mindspore
import numpy as np
from mindspore import Tensor
from PIL import Image

from ... import _backend
from ..._default_dtype import default_numpy
from ...data._host import to_array, to_tensor

_LARGEST = {
    np.dtype(np.uint8): 255, np.dtype(np.int8): 127, np.dtype(np.int16): 32767, np.dtype(np.uint16): 65535,
    np.dtype(np.int32): 2**31 - 1, np.dtype(np.int64): 2**63 - 1,
}  # fmt: skip
# modes whose pixels are numbers of another size than a byte
_WIDE_MODES = {"I": np.int32, "I;16": np.uint16, "I;16L": np.uint16, "I;16B": np.uint16, "F": np.float32}


def pixels(image: Image.Image) -> np.ndarray:
    """Return a PIL image as an array (channels, height, width) of its own numbers."""
    array = np.array(image, _WIDE_MODES.get(image.mode, np.uint8))
    if image.mode == "1":
        array = array * np.uint8(255)
    array = array.reshape(image.height, image.width, len(image.getbands()))
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def image_to_tensor(image: Any) -> Tensor:
    """Return a PIL image or an array (H, W[, C]) as a tensor (C, H, W); bytes are scaled to 0 ... 1."""
    if isinstance(image, np.ndarray):
        if image.ndim not in (2, 3):
            raise ValueError(f"pic should be 2/3 dimensional. Got {image.ndim} dimensions.")
        array = np.ascontiguousarray((image if image.ndim == 3 else image[:, :, None]).transpose(2, 0, 1))
    elif isinstance(image, Image.Image):
        array = pixels(image)
    else:
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(image)}")
    if array.dtype == np.uint8:
        array = array.astype(default_numpy()) / default_numpy()(255)
    return to_tensor(array)


def pil_to_tensor(pic: Any) -> Tensor:
    """Return a PIL image as a tensor (C, H, W) of its own numbers."""
    if not isinstance(pic, Image.Image):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    return to_tensor(pixels(pic))


def to_pil_image(pic: Any, mode: str | None = None) -> Image.Image:
    """Return a tensor (C, H, W) or an array (H, W, C) as a PIL image; floats are scaled from 0 ... 1 to bytes."""
    array = to_array(pic).transpose(1, 2, 0) if _is_image(pic, 3) else to_array(pic) if _is_image(pic, 2) else pic
    if not isinstance(array, np.ndarray) or array.ndim not in (2, 3):
        raise ValueError("pic should be a tensor or ndarray of 2 or 3 dimensions")
    array = array if array.ndim == 3 else array[:, :, None]
    if array.shape[-1] > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {array.shape[-1]} channels.")
    if array.dtype.kind == "f" and isinstance(pic, Tensor) and mode != "F":
        array = (array * array.dtype.type(255)).astype(np.int64).astype(np.uint8)
    if array.shape[-1] == 1:
        single = {"u1": "L", "i2": "I;16", "u2": "I;16", "i4": "I", "f4": "F"}.get(array.dtype.str[1:])
        _check_mode(mode, single, (single,))
        return Image.fromarray(np.ascontiguousarray(array[:, :, 0]), mode=single)
    if array.dtype != np.uint8:
        raise TypeError(f"Input type {array.dtype} is not supported")
    allowed = {2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}[array.shape[-1]]
    _check_mode(mode, allowed[0], allowed)
    return Image.fromarray(np.ascontiguousarray(array), mode=mode or allowed[0])


def _is_image(value: Any, axes: int) -> bool:
    return isinstance(value, Tensor) and value.ndim == axes


def _check_mode(mode: str | None, usual: str | None, allowed: Sequence[str | None]) -> None:
    if usual is None:
        raise TypeError("this type of numbers makes no image")
    if mode is not None and mode not in allowed:
        raise ValueError(f"Only modes {allowed} are supported for this input, got {mode}")


def convert_image_dtype(image: Tensor, dtype: Any = mindspore.float32) -> Tensor:
    """Change the type and scale the values to its range: 0 ... 1 for floats, 0 ... maximum for integers."""
    array = to_array(image)
    wanted = np.dtype(mindspore.dtype_to_nptype(dtype))
    if array.dtype == wanted:
        return image
    if array.dtype.kind == "f":
        if wanted.kind != "f":
            # a little less than one more, so that 1.0 becomes the maximum
            array = array * (_LARGEST[wanted] + 1.0 - 1e-3)
        return to_tensor(array.astype(wanted))
    if wanted.kind == "f":
        return to_tensor(array.astype(wanted) / wanted.type(_LARGEST[array.dtype]))
    factor = (_LARGEST[array.dtype] + 1) // (_LARGEST[wanted] + 1)
    if factor > 1:
        return to_tensor((array // factor).astype(wanted))
    return to_tensor(array.astype(wanted) * wanted.type((_LARGEST[wanted] + 1) // (_LARGEST[array.dtype] + 1)))


def normalize(tensor: Tensor, mean: Sequence[float], std: Sequence[float], inplace: bool = False) -> Tensor:
    """Return (tensor - mean) / std channel by channel; floats (..., C, H, W). Keeps gradients."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(f"Expected tensor to be a tensor image of size (..., C, H, W). Got {tensor.shape}")
    kind = np.dtype(mindspore.dtype_to_nptype(tensor.dtype))
    centre, spread = (np.asarray(to_host(values), kind) for values in (mean, std))
    if (spread == 0).any():
        raise ValueError(f"std evaluated to zero after conversion to {kind}, leading to division by zero.")
    centre, spread = (value.reshape(-1, 1, 1) if value.ndim == 1 else value for value in (centre, spread))
    if np.broadcast_shapes(tensor.shape, centre.shape, spread.shape) != tuple(tensor.shape):
        raise RuntimeError(f"an image of shape {tuple(tensor.shape)} is normalized with {centre.size} means")
    if _backend.requires_grad(tensor):
        return (tensor - Tensor(centre)) / Tensor(spread)
    array = to_array(tensor)
    if inplace:
        np.subtract(array, centre, out=array)
        np.divide(array, spread, out=array)
        return tensor
    return to_tensor((array - centre) / spread)


def to_host(values: Any) -> Any:
    """Return a tensor as an array and anything else as it is."""
    return to_array(values) if isinstance(values, Tensor) else values
