"""What `load_state_dict` does to memory: of the model, of the state dict, and of the file that it is mapped from."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import nn, serialization
from torch2ms.runtime.mint import nn as mnn
from torch2ms.runtime.serialization import _mapped

COUNT, SIDE = 8, 1024
linux = pytest.mark.skipif(sys.platform != "linux", reason="the state of pages is told by /proc alone")


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        for i in range(COUNT):
            setattr(self, f"layer{i}", mnn.Linear(SIDE, SIDE, bias=False))


def resident_files() -> float:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssFile")) / 1024


@pytest.fixture
def stored(tmp_path: pathlib.Path) -> tuple[pathlib.Path, dict[str, np.ndarray]]:
    state = {f"layer{i}.weight": torch.randn(SIDE, SIDE) for i in range(COUNT)}
    torch.save(state, tmp_path / "state.pth")
    return tmp_path / "state.pth", {name: value.numpy() for name, value in state.items()}


@linux
def test_the_file_does_not_become_resident(stored: Any) -> None:
    path, expected = stored
    net = Net()
    state = serialization.load(path)
    before = resident_files()
    net.load_state_dict(state)
    # all of it would be 32 MB
    assert resident_files() - before < 4
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.asnumpy(), expected[name])
    np.testing.assert_array_equal(state["layer1.weight"].asnumpy(), expected["layer1.weight"])


@pytest.mark.parametrize("written", ["element", "all", "by numpy", "before and after"])
def test_what_was_written_to_a_mapped_tensor_is_loaded(written: str, stored: Any) -> None:
    path, expected = stored
    net, state = Net(), serialization.load(path)
    tensor, wanted = state["layer2.weight"], expected["layer2.weight"].copy()
    if written == "before and after":
        net.load_state_dict(state)
    if written == "all":
        tensor.copy_(mindspore.mint.zeros((SIDE, SIDE)))
        wanted[...] = 0
    elif written == "by numpy":
        tensor.asnumpy()[:, 7] = wanted[:, 7] = 3
    else:
        tensor[SIDE - 1, SIDE - 1] = wanted[SIDE - 1, SIDE - 1] = 5
    net.load_state_dict(state)
    np.testing.assert_array_equal(net.layer2.weight.asnumpy(), wanted)
    np.testing.assert_array_equal(net.layer3.weight.asnumpy(), expected["layer3.weight"])
    assert np.array_equal(torch.load(path)["layer2.weight"].numpy(), expected["layer2.weight"])


def test_a_file_that_was_replaced_gives_its_old_content(stored: Any) -> None:
    path, expected = stored
    net, state = Net(), serialization.load(path)
    serialization.save({"other": Tensor(np.zeros(3))}, path)
    net.load_state_dict(state)
    np.testing.assert_array_equal(net.layer0.weight.asnumpy(), expected["layer0.weight"])


def test_where_the_system_does_not_tell_the_mapping_is_read(stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = stored
    monkeypatch.setattr(_mapped, "_PAGEMAP", str(path.with_name("missing")))
    _mapped._tells_written_pages.cache_clear()
    try:
        net = Net()
        net.load_state_dict(serialization.load(path))
        np.testing.assert_array_equal(net.layer0.weight.asnumpy(), expected["layer0.weight"])
    finally:
        _mapped._tells_written_pages.cache_clear()


@linux
def test_tensors_share_mappings_and_these_end_with_them(stored: Any) -> None:
    path, _ = stored

    def open_here() -> int:
        return sum(os.path.realpath(f"/proc/self/fd/{n}") == str(path) for n in os.listdir("/proc/self/fd"))

    state = serialization.load(path)
    # the file, and one mapping
    assert open_here() == 2
    del state
    assert open_here() == 0


def test_views_of_a_parameter_see_what_is_loaded() -> None:
    layer, other = mnn.Linear(3, 2), torch.nn.Linear(3, 2)
    view, theirs = layer.weight.view(-1), other.weight.detach().view(-1)
    state = {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}
    net, reference = nn.SequentialCell(layer), torch.nn.Sequential(other)
    net.load_state_dict({f"0.{name}": Tensor(value.numpy()) for name, value in state.items()})
    reference.load_state_dict({f"0.{name}": value for name, value in state.items()})
    np.testing.assert_array_equal(view.asnumpy(), theirs.numpy())


def test_a_view_in_another_order_is_filled() -> None:
    class Turned(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("turned", Tensor(np.zeros((3, 2), np.float32)).t())

    net, value = Turned(), np.arange(6, dtype=np.float32).reshape(2, 3)
    net.load_state_dict({"turned": Tensor(value)})
    np.testing.assert_array_equal(net.turned.asnumpy(), value)


@pytest.mark.parametrize("version", [None, 1, 2])
def test_batch_normalization_of_old_files(version: int | None) -> None:
    """PyTorch counts batches since version 2 of the layer; state dicts without a version are taken for older ones."""
    theirs, ours = torch.nn.Sequential(torch.nn.BatchNorm2d(3)), nn.SequentialCell(mnn.BatchNorm2d(3))
    state = theirs.state_dict()
    del state["0.num_batches_tracked"]
    ours_state = type(state)((name, Tensor(value.numpy())) for name, value in state.items())
    if version:
        state._metadata["0"]["version"] = version
        ours_state._metadata = {"0": {"version": version}}
    else:
        state = dict(state)

    def result(net: Any, values: Any) -> Any:
        try:
            return str(net.load_state_dict(values))
        except RuntimeError as error:
            return str(error).partition("\n")[2]

    assert result(ours, ours_state) == result(theirs, state)
