"""Networks trained with numbers of 16 bits beside PyTorch: types of every intermediate, losses, weights."""

from __future__ import annotations

import pathlib
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from tests.side_by_side import convert, execute
from torch2ms.runtime import _backend, optim, value_and_grad

SPACING = {"bfloat16": 2.0**-7, "float16": 2.0**-10}
# the mode of each run: units in the last place by which losses may differ, relative, and the movement of weights
ROOM = {
    # sums in another order, rounded the other way once in a while; weights are in float32
    "region": (0.25 * SPACING["bfloat16"], 2 * SPACING["bfloat16"]),
    "scaled": (0.25 * SPACING["float16"], 2 * SPACING["float16"]),
    "tape": (0.25 * SPACING["bfloat16"], 2 * SPACING["bfloat16"]),
    # every result is rounded, six steps of them
    "bfloat16": (2 * SPACING["bfloat16"], 8 * SPACING["bfloat16"]),
    "float16": (2 * SPACING["float16"], 8 * SPACING["float16"]),
}
OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.01, "nesterov": True},
    "Adam": {"lr": 0.05, "eps": 1e-4}, "AdamW": {"lr": 0.05, "eps": 1e-4}, "RMSprop": {"lr": 0.05, "eps": 1e-4},
    "Adagrad": {"lr": 0.1, "eps": 1e-4}, "Adadelta": {"lr": 1.0, "eps": 1e-3}, "Adamax": {"lr": 0.05, "eps": 1e-4},
    "NAdam": {"lr": 0.05, "eps": 1e-4}, "RAdam": {"lr": 0.05, "eps": 1e-4}, "ASGD": {"lr": 0.05},
    "Adafactor": {"lr": 0.1},
}  # fmt: skip


@pytest.fixture(scope="module")
def results() -> tuple[dict[Any, Any], dict[Any, Any]]:
    mindspore.runtime.launch_blocking()
    text = (pathlib.Path(__file__).parent / "training.py").read_text()
    converted = execute(convert(text).text, "converted_training")["RESULT"]
    _backend.stop_recording()
    return execute(text, "torch_training")["RESULT"], converted


RUNS = [(mode, kind) for mode in ("region", "bfloat16", "float16") for kind in ("mlp", "cnn", "block")]


@pytest.mark.parametrize("run", [*RUNS, ("scaled", "mlp"), ("tape", "mlp")], ids="-".join)
def test_training(run: tuple[str, str], results: Any) -> None:
    (losses, types, before, after), (own_losses, own_types, _, own_after) = (side[run] for side in results)
    relative, moved = ROOM[run[0]]
    assert own_types == types
    np.testing.assert_allclose(own_losses, losses, rtol=relative)
    for name, value in after.items():
        # what a weight of 16 bits moves is itself rounded to its spacing
        room = moved * max(np.abs(value - before[name]).max(), np.abs(value).max() if run[0] in SPACING else 0)
        np.testing.assert_allclose(own_after[name], value, rtol=0, atol=room, err_msg=name)


@pytest.mark.parametrize("dtype", SPACING)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    start, data = (rng.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (5, 6)))
    theirs = torch.nn.Parameter(torch.tensor(start).to(getattr(torch, dtype)))
    ours = Parameter(Tensor(start).astype(getattr(mindspore, dtype)), name="w")
    x, own_x = torch.tensor(data).to(theirs.dtype), Tensor(data).astype(ours.dtype)
    optimizer = getattr(torch.optim, name)([theirs], **OPTIMIZERS[name])
    own_optimizer = getattr(optim, name)([ours], **OPTIMIZERS[name])
    grad_fn = value_and_grad(lambda: ((own_x @ ours.t()) ** 2).mean(), None, [ours])
    for _ in range(6):
        optimizer.zero_grad()
        ((x @ theirs.t()) ** 2).mean().backward()
        optimizer.step()
        _, gradients = grad_fn()
        own_optimizer(gradients)
    assert str(ours.dtype).lower() == dtype and str(gradients[0].dtype).lower() == dtype
    expected = theirs.detach().float().numpy()
    # PyTorch rounds after every operation of the update, ours once a step: two units a step at most
    room = 12 * SPACING[dtype] * np.maximum(np.abs(expected), 0.25)
    off = np.abs(ours.float().asnumpy() - expected)
    assert (off <= room).all()
    assert off.max() < 0.2 * np.abs(expected - start).max()
