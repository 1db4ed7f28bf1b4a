"""`reset_parameters` and `reset_running_stats` beside PyTorch's: the same layers have them, and draw the same."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import torch
from mindspore import ops

from torch2ms.runtime import manual_seed, mint, nn, no_grad

METHODS = ("reset_parameters", "_reset_parameters", "reset_running_stats")
LAYERS: dict[str, tuple[Any, ...] | dict[str, Any]] = {
    "AdaptiveLogSoftmaxWithLoss": (16, 20, [4, 10], 2.0),
    "BatchNorm1d": (3,),
    "BatchNorm2d": (3,),
    "BatchNorm3d": (3,),
    "Bilinear": (3, 3, 2),
    "Conv1d": (3, 2, 2),
    "Conv2d": (3, 2, 2),
    "Conv3d": (3, 2, 2),
    "ConvTranspose1d": (3, 2, 2),
    "ConvTranspose2d": (3, 2, 2),
    "ConvTranspose3d": (3, 2, 2),
    "Embedding": (5, 2, 1),
    "EmbeddingBag": {"num_embeddings": 5, "embedding_dim": 2, "padding_idx": 1},
    "GRU": (3, 2),
    "GRUCell": (3, 2),
    "GroupNorm": (1, 3),
    "InstanceNorm1d": {"num_features": 3, "affine": True, "track_running_stats": True},
    "InstanceNorm2d": {"num_features": 3, "affine": True, "track_running_stats": True},
    "InstanceNorm3d": {"num_features": 3, "affine": True, "track_running_stats": True},
    "LSTM": (3, 2, 2),
    "LSTMCell": (3, 2),
    "LayerNorm": (3,),
    "Linear": (3, 2),
    "MultiheadAttention": (4, 2),
    "PReLU": (),
    "RMSNorm": (3,),
    "RNN": (3, 2),
    "RNNCell": (3, 2),
    "SyncBatchNorm": (3,),
    "Transformer": (4, 2, 1, 1, 4),
}
# bases, and layers that take their shapes from the first input
_NOT_MADE = {"RNNBase", "RNNCellBase"}


def make(arguments: Any, library: Any, name: str) -> Any:
    """Return a layer of the runtime or of PyTorch."""
    kind = getattr(library, name)
    return kind(**arguments) if isinstance(arguments, dict) else kind(*arguments)


def test_every_layer_with_values_to_reset_is_here() -> None:
    found = {
        name
        for name, kind in vars(torch.nn).items()
        if inspect.isclass(kind) and any(hasattr(kind, method) for method in METHODS) and not name.startswith("Lazy")
    }
    assert found - _NOT_MADE == set(LAYERS)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("method", METHODS)
def test_the_values_are_those_of_pytorch(name: str, method: str) -> None:
    theirs = make(LAYERS[name], torch.nn, name)
    ours = make(LAYERS[name], nn if hasattr(nn, name) else mint.nn, name)
    assert hasattr(ours, method) == hasattr(theirs, method)
    if not hasattr(theirs, method):
        return
    with no_grad(), torch.no_grad():
        for tensor in ours.state_dict().values():
            ops.assign(tensor, tensor + 1)
        theirs.load_state_dict({key: torch.tensor(value.asnumpy()) for key, value in ours.state_dict().items()})
    manual_seed(5)
    torch.manual_seed(5)
    getattr(ours, method)()
    getattr(theirs, method)()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[key].asnumpy(), value.numpy(), rtol=1e-6, atol=1e-7, err_msg=key)
