"""Counterpart of torch.nn: Cell with PyTorch's module semantics, containers, and the layers that mint.nn lacks.

Layers that `mint.nn` of MindSpore does not have but the runtime's does stand here too, under the same name.
"""

from __future__ import annotations

import importlib
from typing import Any

from .cell import Cell
from .containers import CellDict, CellList, SequentialCell
from .listing import (
    buffers,
    children,
    get_buffer,
    get_parameter,
    get_submodule,
    modules,
    named_buffers,
    named_children,
    named_modules,
    named_parameters,
    parameters,
)
from .parameter_containers import ParameterDict, ParameterList

__all__ = [
    "Cell",
    "CellDict",
    "CellList",
    "ParameterDict",
    "ParameterList",
    "SequentialCell",
    "buffers",
    "children",
    "get_buffer",
    "get_parameter",
    "get_submodule",
    "modules",
    "named_buffers",
    "named_children",
    "named_modules",
    "named_parameters",
    "parameters",
]

# layers by the module that defines them; loaded on first use, since mint.nn's layers build on Cell
_LAYERS = {
    "AdaptiveLogSoftmaxWithLoss": "adaptive",
    "CrossMapLRN2d": "adaptive",
    "EmbeddingBag": "embedding_bag",
    "GRU": "rnn",
    "GRUCell": "rnn_cells",
    "LSTM": "rnn",
    "LSTMCell": "rnn_cells",
    "MultiheadAttention": "attention",
    "RNN": "rnn",
    "RNNBase": "rnn",
    "RNNCell": "rnn_cells",
    "Transformer": "transformer",
    "TransformerDecoder": "transformer",
    "TransformerDecoderLayer": "transformer_layers",
    "TransformerEncoder": "transformer",
    "TransformerEncoderLayer": "transformer_layers",
    "TripletMarginWithDistanceLoss": "adaptive",
}
_SUBMODULES = ("init", "utils")


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _LAYERS:
        from ..mint.nn._layers.arguments import take_all

        return take_all(getattr(importlib.import_module(f".{_LAYERS[name]}", __name__), name))
    if name.startswith("_") and not name.startswith("__"):
        bases = importlib.import_module(".bases", __name__)
        if name in bases.__all__:
            return getattr(bases, name)
    if name.startswith("Lazy"):
        lazy = importlib.import_module(".lazy", __name__)
        if name in lazy.__all__:
            return getattr(lazy, name)
    mint_nn = importlib.import_module("..mint.nn", __name__)
    if name[:1].isupper() and hasattr(mint_nn, name):
        return getattr(mint_nn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
