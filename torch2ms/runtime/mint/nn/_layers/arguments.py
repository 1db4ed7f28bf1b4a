"""Arguments that PyTorch's layers take and that decide nothing here: `device`, and `inplace` of activations and dropouts.

A rule leaves them out where it sees the class. A layer class that is passed around (`act_layer(inplace=True)`,
`norm_layer(dim, **factory_kwargs)`) gets them all the same.
"""

from __future__ import annotations

import functools
from typing import Any

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
    """Let the constructor of a layer class take PyTorch's `device` and `inplace`; the layer computes out of place.

    NotImplementedError for the meta device, on which parameters have no values.
    """
    name = "inplace" if cls.__name__ in _INPLACE else "device" if cls.__name__ in _PLACED else ""
    if not name or "_taken" in vars(cls):
        return cls
    made: Any = cls.__init__  # type: ignore[misc]

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if str(kwargs.pop(name, None)) == "meta":
            raise NotImplementedError(f"{cls.__name__}(device='meta'): parameters always have values in MindSpore")
        made(self, *args, **kwargs)

    cls.__init__ = __init__  # type: ignore[misc]
    cls._taken = name  # type: ignore[attr-defined]
    return cls
