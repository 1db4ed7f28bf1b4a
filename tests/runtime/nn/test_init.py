"""nn.init beside torch.nn.init: from one seed the same numbers, in place, on Parameters, tensors and slices."""
from __future__ import annotations

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import manual_seed, nn, value_and_grad

CASES = [
    ("uniform_", (3, 4), {}),
    ("uniform_", (3, 4), {"a": -2.0, "b": 5.0}),
    ("normal_", (3, 40), {"mean": 1.0, "std": 2.0}),
    ("trunc_normal_", (30, 40), {}),
    ("trunc_normal_", (30, 40), {"mean": 0.0, "std": 1.0, "a": 1.0, "b": 3.0}),
    ("trunc_normal_", (30, 40), {"mean": 0.5, "std": 0.2, "a": 0.0, "b": 0.8}),
    ("constant_", (3, 4), {"val": 0.3}),
    ("ones_", (3, 4), {}),
    ("zeros_", (3,), {}),
    ("eye_", (3, 5), {}),
    ("dirac_", (4, 2, 3), {}),
    ("dirac_", (4, 2, 3, 3), {"groups": 2}),
    ("xavier_uniform_", (3, 4, 2), {"gain": 2.0}),
    ("xavier_normal_", (3, 40), {}),
    ("kaiming_uniform_", (3, 4), {"a": 5**0.5}),
    ("kaiming_uniform_", (3, 4, 3, 3), {"mode": "fan_out", "nonlinearity": "relu"}),
    ("kaiming_normal_", (30, 4), {"nonlinearity": "tanh"}),
]


@pytest.mark.parametrize("name, shape, options", CASES)
def test_the_same_numbers_in_place(name, shape, options):
    torch.manual_seed(5)
    expected = getattr(torch.nn.init, name)(torch.empty(shape), **options).numpy()
    for make in (lambda a: Parameter(Tensor(a), name="p"), Tensor):
        target = make(np.full(shape, 7, np.float32))
        manual_seed(5)
        assert getattr(nn.init, name)(target, **options) is target
        np.testing.assert_allclose(target.asnumpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(4, 4), (3, 6), (6, 3), (4, 2, 3)])
def test_orthogonal(shape):
    torch.manual_seed(5)
    expected = torch.nn.init.orthogonal_(torch.empty(shape), gain=2.0).numpy()
    manual_seed(5)
    found = nn.init.orthogonal_(Parameter(Tensor(np.zeros(shape, np.float32)), name="p"), gain=2.0).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_sparse():
    t = nn.init.sparse_(Tensor(np.ones((10, 6), np.float32)), 0.3).asnumpy()
    assert ((t == 0).sum(0) == 3).all()
    with pytest.raises(ValueError):
        nn.init.sparse_(Tensor(np.ones(3, np.float32)), 0.3)


def test_slices_of_parameters_are_written():
    p = Parameter(Tensor(np.zeros((4, 3), np.float32)), name="p")
    nn.init.ones_(p[1:3])
    nn.init.constant_(p[0], 5.0)
    np.testing.assert_array_equal(p.asnumpy(), [[5] * 3, [1] * 3, [1] * 3, [0] * 3])


def test_fans_and_gains():
    for shape in ((3, 4), (3, 4, 5, 6)):
        assert nn.init._calculate_fan_in_and_fan_out(Tensor(np.zeros(shape, np.float32))) == torch.nn.init._calculate_fan_in_and_fan_out(torch.zeros(shape))
    assert nn.init._calculate_correct_fan(Tensor(np.zeros((3, 4), np.float32)), "fan_out") == 3
    for arguments in (("linear",), ("conv2d",), ("tanh",), ("relu",), ("selu",), ("leaky_relu",), ("leaky_relu", 0.2), ("sigmoid",)):
        assert nn.init.calculate_gain(*arguments) == torch.nn.init.calculate_gain(*arguments)
    for call in (lambda: nn.init.calculate_gain("x"), lambda: nn.init.xavier_normal_(Tensor(np.zeros(3, np.float32))), lambda: nn.init.kaiming_normal_(Tensor(np.zeros((3, 3), np.float32)), mode="x")):
        with pytest.raises(ValueError):
            call()


def test_compiled_functions_see_what_is_drawn_anew():
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    @mindspore.jit
    def doubled(x):
        return x * weight * 2

    one = Tensor(np.ones(3, np.float32))
    grad_fn = value_and_grad(lambda x: doubled(x).sum(), None, (weight,))
    for _ in range(3):
        grad_fn(one)
    nn.init.constant_(weight, 5.0)
    assert float(grad_fn(one)[0]) == 30.0
    np.testing.assert_array_equal(doubled(one).asnumpy(), [10.0] * 3)


def test_what_is_drawn_has_no_graph():
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    def loss(x):
        nn.init.constant_(weight, 2.0)
        return (weight * weight * x).sum()

    value, (slope,) = value_and_grad(loss, None, (weight,))(Tensor(np.ones(3, np.float32)))
    assert float(value) == 12.0
    np.testing.assert_array_equal(slope.asnumpy(), [4.0] * 3)
