"""`torch.testing.assert_close` for tensors, arrays, numbers and containers of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from mindspore import Tensor

# relative and absolute tolerance by type
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip


def assert_close(
    actual: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
    check_dtype: bool = True, msg: Any = None, **_options: Any,
) -> None:  # fmt: skip
    """Raise AssertionError unless |actual - expected| <= atol + rtol * |expected|, with PyTorch's tolerances."""
    if isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            raise AssertionError("The keys of the mappings do not match")
        pairs = [(actual[key], expected[key]) for key in expected]
    elif isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError("The lengths of the sequences do not match")
        pairs = list(zip(actual, expected))
    else:
        _compare(actual, expected, rtol, atol, equal_nan, check_dtype, msg)
        return
    for one, other in pairs:
        assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)


def _compare(
    actual: Any, expected: Any, rtol: float | None, atol: float | None, equal_nan: bool, check_dtype: bool, msg: Any
) -> None:
    first, second = (np.asarray(v.asnumpy() if isinstance(v, Tensor) else v) for v in (actual, expected))
    if first.shape != second.shape:
        raise AssertionError(f"The values for attribute 'shape' do not match: {first.shape} != {second.shape}.")
    if check_dtype and isinstance(actual, Tensor) and first.dtype != second.dtype:
        raise AssertionError(f"The values for attribute 'dtype' do not match: {first.dtype} != {second.dtype}.")
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    usual = [_TOLERANCES.get(str(array.dtype), (0.0, 0.0)) for array in (first, second)]
    relative = max(pair[0] for pair in usual) if rtol is None else rtol
    absolute = max(pair[1] for pair in usual) if atol is None else atol
    wide = np.complex128 if first.dtype.kind == "c" else np.float64
    if not np.allclose(first.astype(wide), second.astype(wide), relative, absolute, equal_nan):
        difference = np.abs(first.astype(wide) - second.astype(wide)).max()
        text = msg(str(difference)) if callable(msg) else msg
        raise AssertionError(text or f"Tensor-likes are not close! Greatest absolute difference: {difference}")
