"""What counts as equal: values within the tolerance of their dtype, the same dtypes, shapes and Python types."""

from __future__ import annotations

import math
from typing import Any

import mindspore
import torch
from mindspore import Tensor

from tests.runtime.mint import parity

# relative, and absolute in units of the largest finite value (at least 1): sums of large terms round in proportion to
# them. Integers and booleans are exact.
TOLERANCE = {
    torch.float64: (1e-6, 1e-7),
    torch.float32: (1e-4, 1e-5),
    torch.float16: (2e-3, 1e-3),
    torch.bfloat16: (2e-2, 1e-2),
    torch.complex128: (1e-6, 1e-7),
    torch.complex64: (1e-4, 1e-5),
}
# one digit less, since gradients sum the roundings of the forward pass
GRADIENT = 10.0


def leaves(value: Any) -> list[Any]:
    """The values of nested tuples, lists and dictionaries in order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value, key=str) for leaf in leaves(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def difference(theirs: Any, ours: Any, values: bool = True, factor: float = 1.0) -> str:
    """How results of MindSpore differ from PyTorch's, "" where they do not; without `values` only in kind and shape."""
    a, b = leaves(theirs), leaves(ours)
    if len(a) != len(b):
        return f"{len(a)} results, got {len(b)}"
    for i, (t, m) in enumerate(zip(a, b)):
        text = _tensor(t, m, values, factor) if isinstance(t, torch.Tensor) else _plain(t, m, values)
        if text:
            return f"result {i}: {text}" if len(a) > 1 else text
    return ""


def _tensor(t: torch.Tensor, m: Any, values: bool, factor: float) -> str:
    rtol, atol = TOLERANCE.get(t.dtype, (0.0, 0.0))
    return parity.result_difference(t, m, rtol * factor, atol * factor, values)


def _plain(t: Any, m: Any, values: bool) -> str:
    if isinstance(m, Tensor):
        return f"{t!r}, got a tensor"
    if isinstance(t, torch.dtype):
        return "" if m == parity.DTYPES.get(t) else f"{t}, got {m}"
    if isinstance(t, (bool, int, float, complex)) and isinstance(m, (bool, int, float, complex)):
        if type(t) is not type(m):
            return f"{t!r}, got {m!r}"
        return "" if not values or _close(t, m) else f"{t!r}, got {m!r}"
    if isinstance(t, (torch.device, torch.layout, torch.memory_format)):
        return ""
    return "" if t == m or not values and type(t) is type(m) else f"{t!r}, got {m!r}"


def _close(t: Any, m: Any) -> bool:
    if isinstance(t, float):
        return math.isclose(t, m, rel_tol=1e-4, abs_tol=1e-5) or (math.isnan(t) and math.isnan(m))
    if isinstance(t, complex):
        return abs(t - m) <= 1e-4 * max(1.0, abs(t))
    return bool(t == m)


def to_mindspore(tensor: torch.Tensor) -> Tensor:
    """A fresh tensor of MindSpore with the values of PyTorch's."""
    return parity.to_mindspore(tensor)


def is_real(value: Any) -> bool:
    """Whether a result of PyTorch is a floating-point tensor."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()


__all__ = ["GRADIENT", "TOLERANCE", "difference", "is_real", "leaves", "mindspore", "to_mindspore"]
