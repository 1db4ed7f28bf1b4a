"""The floating-point type of new tensors: what `torch.set_default_dtype` sets.

Only float32 and float64 can be set. As long as nobody sets float64, nothing but this module is loaded and no function is
changed; float64 brings what `_double` has.
https://docs.pytorch.org/docs/stable/generated/torch.set_default_dtype.html
"""

from __future__ import annotations

from typing import Any

import mindspore
import numpy as np

_current: Any = mindspore.float32
_NAMES = {"FloatTensor": mindspore.float32, "DoubleTensor": mindspore.float64}
_ADVICE = "float32 and float64 can be the default; pass dtype= where tensors are made, or convert the model with .to(dtype)"


def get_default_dtype() -> Any:
    """Return the type of tensors made of Python floats."""
    return _current


def set_default_dtype(d: Any) -> None:
    """Let new tensors of Python floats, and parameters of new layers, have the type `d`: float32 or float64.

    Raises:
        TypeError: `d` is no floating-point type.
        NotImplementedError: `d` is float16 or bfloat16.
    """
    global _current
    if d not in (mindspore.float16, mindspore.bfloat16, mindspore.float32, mindspore.float64):
        raise TypeError("only floating-point types are supported as the default type")
    if d not in (mindspore.float32, mindspore.float64):
        raise NotImplementedError(f"set_default_dtype({d}): {_ADVICE}")
    if d == mindspore.float64:
        from . import _double

        _double.install()
    _current = d


def set_default_tensor_type(t: Any) -> None:
    """Set the type by a tensor type of PyTorch 0.x or its name; the place that it names is left to MindSpore."""
    name = getattr(t, "legacy_type", None) or (t.rpartition(".")[2] if isinstance(t, str) else None)
    if name is None and isinstance(t, mindspore.Type):
        set_default_dtype(t)
        return
    if name not in _NAMES:
        raise NotImplementedError(f"set_default_tensor_type({name or t}): {_ADVICE}")
    set_default_dtype(_NAMES[name])


def is_double() -> bool:
    """Return whether the default is float64."""
    return bool(_current == mindspore.float64)


def default_numpy() -> Any:
    """Return numpy's type of the default."""
    return np.float64 if is_double() else np.float32


def default_complex() -> Any:
    """Return the type of tensors made of Python's complex numbers."""
    return mindspore.complex128 if is_double() else mindspore.complex64
