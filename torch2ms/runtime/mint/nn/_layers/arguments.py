"""Arguments that PyTorch's layers take: numbers of numpy, and what decides nothing here, `device` and `inplace`.

A rule leaves the latter out where it sees the class. A layer class that is passed around (`act_layer(inplace=True)`,
`norm_layer(dim, **factory_kwargs)`) gets them all the same.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from mindspore.nn import Cell

_INPLACE = frozenset(
    "AlphaDropout CELU Dropout Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout Hardsigmoid Hardswish Hardtanh "
    "LeakyReLU Mish RReLU ReLU ReLU6 SELU SiLU Threshold".split()
)
_PLACED = frozenset(
    "AdaptiveLogSoftmaxWithLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Conv1d Conv2d Conv3d ConvTranspose1d "
    "ConvTranspose2d ConvTranspose3d Embedding EmbeddingBag GRU GRUCell GroupNorm InstanceNorm1d InstanceNorm2d "
    "InstanceNorm3d LSTM LSTMCell LayerNorm Linear MultiheadAttention PReLU RMSNorm RNN RNNBase RNNCell SyncBatchNorm "
    "Transformer TransformerDecoderLayer TransformerEncoderLayer".split()
)


def take_all(cls: type) -> type:
    """Let the constructor of a layer class take numpy's numbers (`nn.Linear(np.prod(shape), 10)`), `device` and `inplace`.

    NotImplementedError for the meta device, on which parameters have no values.
    """
    name = "inplace" if cls.__name__ in _INPLACE else "device" if cls.__name__ in _PLACED else ""
    if not issubclass(cls, Cell) or "_taken" in vars(cls):
        return cls
    made: Any = cls.__init__  # type: ignore[misc]

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if name and str(kwargs.pop(name, None)) == "meta":
            raise NotImplementedError(f"{cls.__name__}(device='meta'): parameters always have values in MindSpore")
        made(self, *map(_plain, args), **{key: _plain(value) for key, value in kwargs.items()})

    cls.__init__ = __init__  # type: ignore[misc]
    cls._taken = name  # type: ignore[attr-defined]
    return cls


def _plain(value: Any) -> Any:
    """Python's own number for one of numpy, also in a tuple or list."""
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (tuple, list) and any(isinstance(part, np.generic) for part in value):
        return type(value)(map(_plain, value))
    return value
