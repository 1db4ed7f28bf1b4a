"""Cross entropy of probabilities that are exactly 0 or 1: value and gradient beside PyTorch, also through a sigmoid."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import mint, value_and_grad

P = np.array([0.0, 0.0, 1.0, 1.0, 1e-30, 1 - 6e-8, 0.3, 0.9], np.float32)
T = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.25, 1.0], np.float32)
X = np.array([-200.0, -200.0, 200.0, 200.0, 3.0, 20.0, -20.0, 0.0], np.float32)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
def test_value_and_both_gradients(reduction: str, weighted: bool) -> None:
    weights = np.linspace(0.5, 2, len(P)).astype(np.float32) if weighted else None
    p, t = torch.tensor(P, requires_grad=True), torch.tensor(T, requires_grad=True)
    weight = torch.tensor(weights) if weighted else None
    expected = torch.nn.functional.binary_cross_entropy(p, t, weight, reduction=reduction)
    expected.sum().backward()

    def loss(p: Tensor, t: Tensor) -> Tensor:
        weight = Tensor(weights) if weighted else None
        return mint.nn.functional.binary_cross_entropy(p, t, weight, reduction=reduction).sum()

    value, grads = value_and_grad(loss, (0, 1))(Tensor(P), Tensor(T))
    np.testing.assert_allclose(value.asnumpy(), expected.detach().sum().numpy(), 1e-6)
    np.testing.assert_allclose(grads[0].asnumpy(), p.grad.numpy(), 1e-5)
    inside = (P > 0) & (P < 1)  # at the ends PyTorch's gradient of the target is infinite, as its logarithm is
    np.testing.assert_allclose(grads[1].asnumpy()[inside], t.grad.numpy()[inside], 1e-5, 1e-6)


def test_through_a_saturated_sigmoid() -> None:
    x = torch.tensor(X, requires_grad=True)
    torch.nn.functional.binary_cross_entropy(x.sigmoid(), torch.tensor(T)).backward()

    def loss(x: Tensor) -> Tensor:
        return mint.nn.functional.binary_cross_entropy(mint.sigmoid(x), Tensor(T))

    _, grad = value_and_grad(loss, 0)(Tensor(X))
    np.testing.assert_allclose(grad.asnumpy(), x.grad.numpy(), 1e-4, 1e-7)
