"""Tensors that cross between MindSpore and PyTorch."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor
from torch.utils.data import DataLoader, TensorDataset

from torch2ms.runtime import interop, value_and_grad

DTYPES = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64".split()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)], ids=str)
def test_values_survive_both_ways(dtype: str, shape: tuple[int, ...]) -> None:
    theirs = torch.randint(0, 2, shape).to(getattr(torch, dtype))
    ours = interop.from_torch(theirs)
    assert isinstance(ours, Tensor)
    assert str(ours.dtype).lower() == dtype
    back = interop.to_torch(ours)
    assert back.dtype == theirs.dtype
    assert torch.equal(back, theirs)


def test_views_and_conjugates() -> None:
    base = torch.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(interop.from_torch(base.T[1:]).asnumpy(), base.T[1:].numpy())
    conjugate = torch.complex(base, base).conj()
    np.testing.assert_array_equal(interop.from_torch(conjugate).asnumpy(), conjugate.resolve_conj().numpy())


def test_memory_is_shared_on_the_cpu() -> None:
    theirs = torch.zeros(3)
    ours = interop.from_torch(theirs)
    theirs[1] = 5
    assert ours.asnumpy().tolist() == [0, 5, 0]


def test_containers_keep_their_types() -> None:
    pair = namedtuple("pair", "image label")
    batch = OrderedDict(a=[torch.ones(2)], b=pair(torch.zeros(1), "text"), c=(1, None))
    found = interop.convert_tensor(batch)
    assert type(found) is OrderedDict and type(found["b"]) is pair
    assert isinstance(found["a"][0], Tensor) and found["b"].label == "text" and found["c"] == (1, None)


def test_gradients_do_not_cross() -> None:
    leaf = torch.ones(2, requires_grad=True)
    assert isinstance(interop.from_torch(leaf), Tensor)
    with pytest.raises(RuntimeError, match="detach"):
        interop.from_torch(leaf * 2)
    assert torch.equal(interop.to_torch(Parameter(Tensor([1.0, 2.0]), name="w")), torch.tensor([1.0, 2.0]))

    def loss(x: Tensor) -> Tensor:
        with pytest.raises(RuntimeError, match="detach"):
            interop.to_torch(x * 2)
        return (x * x).sum()

    value_and_grad(loss, 0)(Tensor([1.0, 2.0]))


def test_sparse_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="layout"):
        interop.from_torch(torch.eye(2).to_sparse())


def test_a_pytorch_loader_feeds_a_mindspore_function() -> None:
    loader = DataLoader(TensorDataset(torch.arange(6.0).reshape(3, 2), torch.arange(3)), batch_size=2)
    total = 0.0
    for x, y in map(interop.convert_tensor, loader):
        assert y.dtype == mindspore.int64
        total += float((x.sum(1) * y).sum())
    assert total == 23.0
