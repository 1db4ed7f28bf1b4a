"""Building layers leaves numpy's generator alone, as PyTorch's layers do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from torch2ms.runtime import mint, nn

LAYERS: dict[str, Callable[[], nn.Cell]] = {
    "Conv1d": lambda: mint.nn.Conv1d(2, 3, 3),
    "Conv2d": lambda: mint.nn.Conv2d(2, 3, 3),
    "Conv3d": lambda: mint.nn.Conv3d(2, 3, 3),
    "ConvTranspose1d": lambda: mint.nn.ConvTranspose1d(2, 3, 3),
    "ConvTranspose2d": lambda: mint.nn.ConvTranspose2d(2, 3, 3),
    "ConvTranspose3d": lambda: mint.nn.ConvTranspose3d(2, 3, 3),
    "Linear": lambda: mint.nn.Linear(2, 3),
    "Embedding": lambda: mint.nn.Embedding(4, 3),
    "BatchNorm2d": lambda: mint.nn.BatchNorm2d(3),
    "LayerNorm": lambda: mint.nn.LayerNorm(3),
    "PReLU": lambda: mint.nn.PReLU(),
    "LSTM": lambda: nn.LSTM(2, 3),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 8),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_next_number_of_numpy_is_the_same(name: str) -> None:
    np.random.seed(3)
    expected = np.random.rand(2)
    np.random.seed(3)
    LAYERS[name]()
    np.testing.assert_array_equal(np.random.rand(2), expected)
