"""Models pickled and copied: the same outputs, names and modes, and nothing shared."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mindspore import Tensor

from torch2ms.runtime import mint, nn, optim, value_and_grad

COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda net: pickle.loads(pickle.dumps(net)),
    "deepcopy": copy.deepcopy,
}


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = mint.nn.Conv2d(2, 3, 3, padding=1)
        self.norm = mint.nn.BatchNorm2d(3)
        self.layers = nn.CellList([mint.nn.Linear(4, 4), mint.nn.Linear(4, 4)])
        self.head = nn.SequentialCell(mint.nn.LayerNorm(4), mint.nn.GELU(), mint.nn.Linear(4, 2))
        self.drop = mint.nn.Dropout(0.5)
        self.embedding = mint.nn.Embedding(5, 4)
        self.tied = self.layers[0].weight
        self.register_buffer("steps", mint.zeros(1))
        self.note = {"made": "here"}

    def construct(self, x: Tensor) -> Tensor:
        x = mint.nn.functional.relu(self.norm(self.conv(x))).mean(1)
        for layer in self.layers:
            x = x + layer(x)
        return self.head(self.drop(x) + self.embedding.weight[0])


X = Tensor(np.random.RandomState(0).randn(2, 2, 3, 4).astype(np.float32))


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_equal_and_apart(how: str) -> None:
    net = Net()
    net(X)
    net.set_train(False)
    expected = net(X).asnumpy().copy()
    twin = COPIES[how](net)
    assert not twin.training and twin.note == net.note and twin.note is not net.note
    assert list(twin.state_dict()) == list(net.state_dict())
    assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]
    np.testing.assert_array_equal(twin(X).asnumpy(), expected)
    optimizer = optim.SGD(twin.parameters(), lr=0.5)
    _, grads = value_and_grad(lambda x: twin(x).sum(), None, optimizer.parameters)(X)
    optimizer(grads)
    assert not np.array_equal(twin(X).asnumpy(), expected)
    np.testing.assert_array_equal(net(X).asnumpy(), expected)


def test_what_was_tied_stays_tied() -> None:
    for how in COPIES.values():
        twin = how(Net())
        assert twin.tied is twin.layers[0].weight


@pytest.mark.parametrize("frozen", [True, False])
def test_frozen_parameters_stay_frozen(frozen: bool) -> None:
    net = Net()
    net.conv.weight.requires_grad = not frozen
    for how in COPIES.values():
        assert how(net).conv.weight.requires_grad is not frozen
