"""Cells with `bprop`: the arguments and outputs that MindSpore itself does not hand over."""

from __future__ import annotations

import numpy as np
import pytest
from mindspore import Parameter, Tensor

from torch2ms.runtime import _backend, nn, tape, value_and_grad

A = np.random.RandomState(0).randn(3, 4).astype("float32")


class Scaled(nn.Cell):
    """x * 3; its bprop hands what it was given to `seen`."""

    def construct(self, x, other, seen):
        return x * 3

    def bprop(self, x, other, seen, out, dout):
        seen.append(other)
        return dout * 3, None, None


def gradients(fn):
    """The gradient of `fn(p)` by value_and_grad and on the tape."""
    p = Parameter(Tensor(A), name="p")
    _, (first,) = value_and_grad(lambda: fn(p), None, (p,))()
    tape.start()
    try:
        tape.backward(fn(p))
    finally:
        _backend.stop_recording()
    return first.asnumpy(), p.grad.asnumpy()


def function(x):
    return x


@pytest.mark.parametrize(
    "other",
    [
        function, lambda x: x, print, nn.Cell(), nn, [1, 2], (1, (2, 3)), {"a": 1}, {1}, slice(1, 2), Ellipsis, np.ones(2),
        np.float32(2), 1, 2.5, True, None, "s", Scaled,
    ],
    ids=lambda value: type(value).__name__,
)
def test_bprop_gets_the_very_argument(other):
    seen = []
    for found in gradients(lambda p: Scaled()(p, other, seen).sum()):
        np.testing.assert_array_equal(found, np.full_like(A, 3))
    assert seen[0] is other and seen[1] is other


def test_tensors_inside_containers_get_no_gradient_as_in_pytorch():
    for make in (lambda p: [p, p], lambda p: (p, 3), lambda p: {"p": p}):
        for found in gradients(lambda p, make=make: Scaled()(p, make(p), []).sum()):
            np.testing.assert_array_equal(found, np.full_like(A, 3))


class Mixed(nn.Cell):
    """Some outputs are no tensors."""

    def construct(self, x):
        return x * 2, 3, None, x + 1

    def bprop(self, x, out, dout):
        assert len(out) == 4 and out[1:3] == (3, None) and dout[1] is None and dout[2] is None
        return dout[0] * 2 + dout[3]


def test_outputs_that_are_no_tensors_leave_the_gradients_in_their_places():
    for found in gradients(lambda p: (Mixed()(p)[0] * 5 + Mixed()(p)[3]).sum()):
        np.testing.assert_array_equal(found, np.full_like(A, 11))


class One(nn.Cell):
    """A tuple of one output."""

    def construct(self, x):
        return (x * 2,)

    def bprop(self, x, out, dout):
        assert isinstance(out, tuple) and isinstance(dout, tuple)
        return dout[0] * 2


def test_a_tuple_of_one():
    for found in gradients(lambda p: One()(p)[0].sum()):
        np.testing.assert_array_equal(found, np.full_like(A, 2))


def test_apply_of_the_class_is_an_instance_and_apply_of_an_instance_visits_the_children():
    for found in gradients(lambda p: {"one": One}["one"].apply(p)[0].sum()):
        np.testing.assert_array_equal(found, np.full_like(A, 2))
    net = nn.SequentialCell(nn.SequentialCell(), One())
    visited = []
    assert net.apply(visited.append) is net
    assert visited[-1] is net and len(visited) == 3
    assert nn.Cell.apply(net, visited.append) is net
