"""Gradients of gradients beside PyTorch's: where MindSpore's own lack a term without a word."""
from __future__ import annotations

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, mint, ops

from torch2ms.runtime import _backend, grad, value_and_grad
from torch2ms.runtime._second_order import linear, matmul

RNG = np.random.RandomState(1)
X = (RNG.rand(3, 4) + 0.5).astype("float32")
Q = (RNG.rand(3, 3) + 0.5).astype("float32")


def t(*s):
    return (RNG.rand(*s) + 0.5).astype("float32")


ONE = {
    "view": (lambda a: (a * a).view(12), lambda a: (a * a).view(12), X),
    "reshape and square": (lambda a: ops.reshape(a * a, (12,)) ** 2, lambda a: (a * a).view(12) ** 2, X),
    "transpose": (lambda a: (a * a).T, lambda a: (a * a).T, X),
    "unsqueeze": (lambda a: (a * a).unsqueeze(0), lambda a: (a * a)[None], X),
    "expand": (lambda a: (a * a).unsqueeze(0).expand((2, 3, 4)), lambda a: (a * a)[None].expand(2, 3, 4), X),
    "slice": (lambda a: (a * a)[1:], lambda a: (a * a)[1:], X),
    "cat": (lambda a: ops.cat([a * a, a], 1), lambda a: torch.cat([a * a, a], 1), X),
    "sum": (lambda a: (a * a).sum(), lambda a: (a * a).sum(), X),
    "sum of an axis": (lambda a: (a * a).sum(1), lambda a: (a * a).sum(1), X),
    "sum of one of two equal axes": (lambda a: (a * a).sum(0), lambda a: (a * a).sum(0), Q),
    "sum with keepdims": (lambda a: (a * a).sum(1, keepdims=True), lambda a: (a * a).sum(1, keepdim=True), X),
    "mean": (lambda a: (a * a).mean(), lambda a: (a * a).mean(), X),
    "mean of an axis": (lambda a: (a * a).mean(1), lambda a: (a * a).mean(1), X),
    "tile": (lambda a: ops.tile(a * a, (2, 3)), lambda a: (a * a).repeat(2, 3), X),
    "norm": (lambda a: ops.norm(a, dim=1), lambda a: a.norm(dim=1), X),
    "logsumexp": (lambda a: ops.logsumexp(a, 1), lambda a: a.logsumexp(1), X),
    "self product": (lambda a: a @ a.T, lambda a: a @ a.T, X),
    "power of itself": (lambda a: a**a, lambda a: a**a, X),
}
TWO = {
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b, t(3, 4), t(4, 2)),
    "matmul method": (lambda a, b: a.matmul(b), lambda a, b: a.matmul(b), t(2, 3, 4), t(2, 4, 2)),
    "matmul broadcast": (matmul, torch.matmul, t(2, 3, 4), t(4, 2)),
    "matmul broadcast batch": (matmul, torch.matmul, t(5, 1, 3, 4), t(2, 4, 2)),
    "matmul vector": (matmul, torch.matmul, t(3, 4), t(4)),
    "vector matmul": (matmul, torch.matmul, t(4), t(2, 4, 3)),
    "dot": (matmul, torch.matmul, t(4), t(4)),
    "linear": (linear, torch.nn.functional.linear, t(3, 4), t(2, 4)),
    "linear of a batch": (linear, torch.nn.functional.linear, t(2, 3, 4), t(2, 4)),
    "conv2d": (lambda a, b: ops.conv2d(a, b), torch.nn.functional.conv2d, t(2, 3, 5, 5), t(2, 3, 3, 3)),
    "division": (lambda a, b: a / b, lambda a, b: a / b, t(3, 4), t(4)),
}


def check(ours, theirs, *arrays):
    """Compare all second derivatives of the sum of the cubes."""
    directions = [Tensor(t(*a.shape)) for a in arrays]
    params = [Parameter(Tensor(a), name=f"p{i}") for i, a in enumerate(arrays)]
    leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
    for repetition in range(2):
        for i, v in enumerate(directions):
            def outer():
                return (grad(lambda *x: ours(*x) ** 3, i)(*params) * v).sum()
            _, found = value_and_grad(outer, None, params)()
            (first,) = torch.autograd.grad((theirs(*leaves) ** 3).sum(), leaves[i], create_graph=True)
            expected = torch.autograd.grad((first * torch.tensor(v.asnumpy())).sum(), leaves, allow_unused=True)
            for g, e in zip(found, expected):
                scale = float(e.abs().max())
                np.testing.assert_allclose(g.asnumpy() / scale, e.numpy() / scale, atol=2e-6)


@pytest.mark.parametrize("name", ONE)
def test_one_operand(name):
    check(*ONE[name])


@pytest.mark.parametrize("name", TWO)
def test_two_operands(name):
    check(*TWO[name])


def test_a_sum_whose_axis_can_not_be_told_is_refused():
    p = Parameter(Tensor(np.ones((3, 3), np.float32)), name="p")
    with pytest.raises(_backend.BackendError, match="keepdims=True"):
        value_and_grad(lambda: grad(lambda a: (a * a).sum(0) ** 3)(p).sum(), None, (p,))()


def test_prod_is_refused():
    p = Parameter(Tensor(X), name="p")
    with pytest.raises(_backend.BackendError, match="prod"):
        value_and_grad(lambda: grad(lambda a: mint.prod(a, 1) ** 3)(p).sum(), None, (p,))()


def test_products_outside_of_nested_gradients_are_mindspores_own(monkeypatch):
    monkeypatch.setattr("torch2ms.runtime._second_order.matmul", None)
    a = Tensor(X)
    assert (a @ a.T).shape == (3, 3) and a.matmul(a.T).dtype == ms.float32
