"""Masks of several dimensions beside other parts of an index, read, written and differentiated as in PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

import torch2ms.runtime  # noqa: F401  (indexing as PyTorch's)

VALUES = np.arange(3 * 4 * 9, dtype=np.float32).reshape(3, 4, 9)
FRONT, BACK, NONE = np.arange(12).reshape(3, 4) % 3 == 1, np.arange(36).reshape(4, 9) % 5 < 2, np.zeros((3, 4), bool)
READS: dict[str, tuple[np.ndarray, Callable[[Any], Any]]] = {
    "m, :": (FRONT, lambda m: (m, slice(None))),
    "m, ...": (FRONT, lambda m: (m, ...)),
    "m, 1:3": (FRONT, lambda m: (m, slice(1, 3))),
    "m, 2": (FRONT, lambda m: (m, 2)),
    "m, None": (FRONT, lambda m: (m, None)),
    ":, m": (BACK, lambda m: (slice(None), m)),
    "..., m": (BACK, lambda m: (..., m)),
    "1, m": (BACK, lambda m: (1, m)),
    "nothing, :": (NONE, lambda m: (m, slice(None))),
    "nothing, 1:3": (NONE, lambda m: (m, slice(1, 3))),
}


@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("host", [False, True], ids=["tensor", "array"])
def test_read(name: str, host: bool) -> None:
    mask, index = READS[name]
    x = torch.from_numpy(VALUES.copy()).requires_grad_()
    expected = x[index(torch.from_numpy(mask))]
    (expected * expected).sum().backward()

    def compute(x: Tensor) -> Tensor:
        part = x[index(mask if host else Tensor(mask))]
        return (part * part).sum()

    got = Tensor(VALUES)[index(mask if host else Tensor(mask))]
    assert got.shape == tuple(expected.shape)
    np.testing.assert_array_equal(got.asnumpy(), expected.detach().numpy())
    if mask.any():
        _, gradient = mindspore.value_and_grad(compute)(Tensor(VALUES))
        np.testing.assert_array_equal(gradient.asnumpy(), x.grad.numpy())


@pytest.mark.parametrize("name", [n for n in READS if "None" not in n])
def test_write(name: str) -> None:
    mask, index = READS[name]
    theirs, ours = torch.from_numpy(VALUES.copy()), Tensor(VALUES.copy())
    theirs[index(torch.from_numpy(mask))] = -1
    ours[index(Tensor(mask))] = -1
    np.testing.assert_array_equal(ours.asnumpy(), theirs.numpy())
