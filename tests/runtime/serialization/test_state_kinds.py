"""What a converted program saves of its weights: a state dict of plain tensors, as PyTorch's is."""

from __future__ import annotations

import pathlib

import mindspore
import torch

from torch2ms.runtime import mint, optim, serialization


def test_pytorch_reads_plain_tensors(tmp_path: pathlib.Path) -> None:
    net = mint.nn.Linear(2, 1)
    state = net.state_dict()
    moved = {f"module.{key}": value.to(mindspore.float32) for key, value in state.items()}
    serialization.save({"net": state, "moved": moved, "kept": {"w": net.weight}, "list": [net.bias]}, tmp_path / "a.pth")
    back = torch.load(tmp_path / "a.pth", weights_only=True)
    tensors = [*back["net"].values(), *back["moved"].values()]
    assert [type(value) for value in tensors] == [torch.Tensor] * 4 and not any(value.requires_grad for value in tensors)
    assert back["net"]["weight"].numpy().tolist() == net.weight.asnumpy().tolist()
    assert type(back["list"][0]) is torch.Tensor  # one object has one kind in a file


def test_parameters_beside_a_state_dict_stay_parameters(tmp_path: pathlib.Path) -> None:
    net = mint.nn.Linear(2, 1)
    serialization.save({"w": net.weight, "all": [net.weight, net.bias]}, tmp_path / "a.pth")
    back = torch.load(tmp_path / "a.pth", weights_only=True)
    assert all(isinstance(value, torch.nn.Parameter) for value in (back["w"], *back["all"]))
    optimizer = optim.SGD(net.get_parameters(), lr=0.1, momentum=0.9)
    serialization.save(optimizer.state_dict(), tmp_path / "b.pth")
    torch.load(tmp_path / "b.pth", weights_only=True)


def test_moments_of_an_optimizer_are_plain(tmp_path: pathlib.Path) -> None:
    net = mint.nn.Linear(2, 1)
    optimizer = optim.Adam(net.get_parameters(), lr=0.1)
    optimizer((mint.ones((1, 2)), mint.ones(1)))
    serialization.save(optimizer.state_dict(), tmp_path / "a.pth")
    state = torch.load(tmp_path / "a.pth", weights_only=True)["state"]
    assert all(type(value) is torch.Tensor for moments in state.values() for value in moments.values())
