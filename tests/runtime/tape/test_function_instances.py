"""Instances of Function, which converted programs call like Cells with `bprop`."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import Function, value_and_grad


class Scaled(Function):
    """exp(x) * k, with twice its gradient."""

    @staticmethod
    def forward(ctx, x, k):
        y = x.exp() * k
        ctx.save_for_backward(y)
        ctx.save_for_forward(x)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * 2, None


def test_an_instance_is_called_like_apply():
    p = Parameter(Tensor([0.5, -1.0]), name="p")
    found = value_and_grad(lambda: Scaled()(p, 3.0).sum(), None, (p,))()
    expected = value_and_grad(lambda: Scaled.apply(p, 3.0).sum(), None, (p,))()
    np.testing.assert_array_equal(found[0].asnumpy(), expected[0].asnumpy())
    np.testing.assert_array_equal(found[1][0].asnumpy(), expected[1][0].asnumpy())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_instance_with_a_forward_that_is_not_static_raises_as_in_pytorch():
    for base in (Function, torch.autograd.Function):
        old = type("Old", (base,), {"forward": lambda self, x: x})
        with pytest.raises(RuntimeError, match="non-static forward"):
            old()(1)
