"""Compiled functions see what was written to, or put in the place of, the parameters and buffers that they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mindspore
import numpy as np
import pytest
from mindspore import Parameter, Tensor

from tests.runtime.nn.test_reset import LAYERS, make
from torch2ms.runtime import mint, nn, no_grad, value_and_grad
from torch2ms.runtime.nn.utils import parametrize

X = Tensor(np.random.RandomState(0).randn(4, 3).astype("float32"))
IDS = Tensor(np.array([[0, 2], [1, 2]]))
_IMAGES = np.random.RandomState(1).randn(2, 3, 4, 4, 4).astype("float32")
INPUTS = {
    "Embedding": IDS,
    "EmbeddingBag": IDS,
    **{name: Tensor(_IMAGES[..., 0, 0]) for name in LAYERS if name.endswith("1d") and name != "BatchNorm1d"},
    **{name: Tensor(_IMAGES[..., 0]) for name in LAYERS if name.endswith("2d")},
    **{name: Tensor(_IMAGES) for name in LAYERS if name.endswith("3d")},
}


def _ones(shape: Any, value: float = 1.5) -> Tensor:
    return Tensor(np.full(shape, value, np.float32))


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.layer = mint.nn.Linear(3, 3)
        self.register_buffer("scale", _ones(3, 0.5))

    def construct(self, x: Tensor) -> Tensor:
        return self.layer(x) * self.scale


class Doubled(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x * 2


def _new_scale(net: Any) -> None:
    net.scale = _ones(3)


def _new_weight(net: Any) -> None:
    net.layer.weight = Parameter(_ones((3, 3)), name="weight")


def _assigned(net: Any) -> None:
    state = {"layer.weight": _ones((3, 3)), "layer.bias": _ones(3), "scale": _ones(3)}
    net.load_state_dict(state, assign=True)


REPLACED = {
    "a buffer": _new_scale,
    "a parameter": _new_weight,
    "a state": _assigned,
    "the values of a layer": lambda net: net.layer.reset_parameters(),
}


@pytest.mark.parametrize("change", REPLACED.values(), ids=list(REPLACED))
@pytest.mark.parametrize("differentiated", [False, True], ids=["plain", "gradient"])
def test_what_a_compiled_function_reads(change: Callable[[Any], None], differentiated: bool) -> None:
    net = Net()

    @mindspore.jit
    def compiled(x):
        return net(x)

    def both() -> list[list[np.ndarray]]:
        results = []
        for function in (net, compiled):
            if not differentiated:
                results.append([function(X).asnumpy()])
                continue
            weights = tuple(net.parameters())
            loss, grads = value_and_grad(lambda f=function: (f(X) ** 2).sum(), None, weights)()
            results.append([loss.asnumpy(), *(g.asnumpy() for g in grads)])
        return results

    first, _ = both()
    for _ in range(2):
        change(net)
        expected, found = both()
        assert not np.allclose(first[0], expected[0])
        for a, b in zip(expected, found, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)


def test_a_parametrization_does_not_compile() -> None:
    net = Net()

    @mindspore.jit
    def compiled(x):
        return net(x)

    compiled(X)
    parametrize.register_parametrization(net.layer, "weight", Doubled())
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        compiled(X).asnumpy()


# the others take more than one input, or compute on the host
@pytest.mark.parametrize("name", sorted(LAYERS.keys() - {"Bilinear", "AdaptiveLogSoftmaxWithLoss", "MultiheadAttention", "Transformer"}))
def test_values_drawn_anew_are_seen(name: str) -> None:
    layer = make(LAYERS[name], nn if hasattr(nn, name) else mint.nn, name)
    layer.set_train(False)
    with no_grad():
        for p in layer.parameters():
            mindspore.ops.assign(p, p + 1)
    x = INPUTS.get(name, X)

    @mindspore.jit
    def compiled(x):
        return layer(x)

    def first(result: Any) -> np.ndarray:
        return (result[0] if isinstance(result, tuple) else result).asnumpy()

    before = first(compiled(x))
    views = [p.data for p in layer.parameters()]
    layer.reset_parameters()
    assert not np.allclose(before, first(layer(x)))
    np.testing.assert_allclose(first(compiled(x)), first(layer(x)), rtol=1e-5, atol=1e-6)
    for p, view in zip(layer.parameters(), views, strict=True):
        np.testing.assert_array_equal(view.asnumpy(), p.asnumpy())
