"""Cells whose attributes are called otherwise than in PyTorch: listings and checkpoints keep PyTorch's names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from mindspore import Parameter, ops

from tests.side_by_side import check
from torch2ms.runtime import mint, nn


class TBase(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = torch.nn.ModuleList([torch.nn.Linear(2, 2)])
        self.register_buffer("phase", torch.ones(2))
        self.register_buffer("compiled", torch.ones(2), persistent=False)


class TNet(TBase):
    def __init__(self):
        super().__init__()
        self.shard = torch.nn.Sequential(TBase())
        self.offload = torch.nn.Parameter(torch.zeros(3))


class Base(nn.Cell):
    checkpoint_names = {"cells_": "cells", "phase_": "phase", "compiled_": "compiled"}

    def __init__(self):
        super().__init__()
        self.cells_ = nn.CellList([mint.nn.Linear(2, 2)])
        self.register_buffer("phase_", mint.ones(2))
        self.register_buffer("compiled_", mint.ones(2), persistent=False)


class Net(Base):
    checkpoint_names = {"shard_": "shard", "offload_": "offload"}

    def __init__(self):
        super().__init__()
        self.shard_ = nn.SequentialCell(Base())
        self.offload_ = Parameter(mint.zeros(3))


LISTINGS: dict[str, Callable[[Any], list[str]]] = {
    "state_dict": lambda m: list(m.state_dict()),
    "state_dict with a prefix": lambda m: list(m.state_dict(prefix="net.")),
    "metadata": lambda m: list(m.state_dict()._metadata),
    "named_parameters": lambda m: [name for name, _ in m.named_parameters(prefix="net")],
    "named_buffers": lambda m: [name for name, _ in m.named_buffers()],
    "named_modules": lambda m: [name for name, _ in m.named_modules()],
    "named_children": lambda m: [name for name, _ in m.named_children()],
}


@pytest.mark.parametrize("listing", LISTINGS)
def test_listings(listing: str) -> None:
    assert LISTINGS[listing](Net()) == LISTINGS[listing](TNet())


def test_positional_arguments_of_state_dict() -> None:
    into: dict[str, Any] = {}
    assert Net().state_dict(into, "net.") is into
    assert list(into) == [f"net.{key}" for key in TNet().state_dict()]


def test_paths_lead_to_the_attributes() -> None:
    net = Net()
    assert net.get_submodule("shard.0.cells.0") is net.shard_[0].cells_[0]
    assert net.get_parameter("offload") is net.offload_
    assert net.get_buffer("shard.0.phase") is net.shard_[0].phase_


@pytest.mark.parametrize("assign", [False, True])
def test_a_state_of_pytorch_names_loads(assign: bool) -> None:
    source, target = Net(), Net()
    for value in source.state_dict().values():
        ops.assign(value, mint.full(value.shape, 5.0))
    result = target.load_state_dict(source.state_dict(), assign=assign)
    assert not any(result)
    values = [target.shard_[0].cells_[0].weight, target.phase_, target.offload_]
    assert all((value.asnumpy() == 5).all() for value in values)
    np.testing.assert_array_equal(target.compiled_.asnumpy(), np.ones(2))


def test_missing_and_unexpected_keys_have_pytorch_names() -> None:
    entries = Net().state_dict()
    entries["shard_.0.phase_"] = entries.pop("shard.0.phase")
    result = Net().load_state_dict(entries, strict=False)
    theirs = TNet().state_dict()
    theirs["shard_.0.phase_"] = theirs.pop("shard.0.phase")
    expected = TNet().load_state_dict(theirs, strict=False)
    assert result.missing_keys == expected.missing_keys
    assert result.unexpected_keys == expected.unexpected_keys


def test_hooks_under_their_private_name_and_both_kinds_of_keys_in_a_message() -> None:
    check("""
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
        self._register_load_state_dict_pre_hook(self._rename)
    def _rename(self, state_dict, prefix, *args):
        if prefix + "old" in state_dict:
            state_dict[prefix + "fc.weight"] = state_dict.pop(prefix + "old")
net = Net()
RESULT = [repr(net.load_state_dict({"old": torch.ones(1, 1), "fc.bias": torch.ones(1)})), net.fc.weight]
RESULT.append(repr(net.load_state_dict({"more": torch.ones(1)}, strict=False)))
try:
    net.load_state_dict({"more": torch.ones(1)})
except RuntimeError as error:
    RESULT.append(str(error))
""")
