"""einops on MindSpore tensors, beside einops on PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from mindspore import Tensor

from torch2ms.runtime import nn, value_and_grad

einops = pytest.importorskip("einops", reason="einops is an optional package of converted programs")
layers = pytest.importorskip("einops.layers.torch", reason="einops is an optional package of converted programs")

from torch2ms.runtime import einops as ours  # noqa: E402  (only where einops is installed)

X = np.random.RandomState(0).randn(2, 3, 8, 6).astype(np.float32)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, int]]] = [
    ("rearrange", ("b c h w -> b (h w) c",), {}),
    ("rearrange", ("b c (h p1) (w p2) -> b (h w) (p1 p2 c)",), {"p1": 2, "p2": 3}),
    ("rearrange", ("b c h w -> b c (w h) 1",), {}),
    ("rearrange", ("... h w -> ... w h",), {}),
    ("reduce", ("b c h w -> b c", "mean"), {}),
    ("reduce", ("b c h w -> b 1 h w", "max"), {}),
    ("reduce", ("b c (h h2) w -> c h", "min"), {"h2": 2}),
    ("reduce", ("b c h w -> w", "sum"), {}),
    ("reduce", ("b c h w -> h", "prod"), {}),
    ("repeat", ("b c h w -> (r b) c h w",), {"r": 3}),
    ("repeat", ("b c h w -> b c h r w",), {"r": 2}),
]


@pytest.mark.parametrize(("name", "arguments", "lengths"), CALLS, ids=str)
def test_functions_and_their_gradients(name: str, arguments: tuple[Any, ...], lengths: dict[str, int]) -> None:
    leaf = torch.tensor(X, requires_grad=True)
    expected = getattr(einops, name)(leaf, *arguments, **lengths)
    (expected * expected).sum().backward()

    def loss(x: Tensor) -> Tensor:
        out = getattr(ours, name)(x, *arguments, **lengths)
        return (out * out).sum()

    found = getattr(ours, name)(Tensor(X), *arguments, **lengths)
    np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), 1e-5, 1e-6)
    _, grad = value_and_grad(loss, 0)(Tensor(X))
    np.testing.assert_allclose(grad.asnumpy(), leaf.grad.numpy(), 1e-3, 1e-4)


def test_einsum_pack_unpack_and_lists() -> None:
    t, x = torch.tensor(X), Tensor(X)
    expected = einops.einsum(t, t, "b c h w, b d h w -> b c d")
    np.testing.assert_allclose(ours.einsum(x, x, "b c h w, b d h w -> b c d").asnumpy(), expected.numpy(), 1e-4, 1e-4)
    packed, shapes = ours.pack([x, x[:, 0]], "b *")
    assert packed.shape == (2, 3 * 48 + 48)
    np.testing.assert_array_equal(ours.unpack(packed, shapes, "b *")[1].asnumpy(), X[:, 0])
    np.testing.assert_array_equal(ours.rearrange([x, x], "n b c h w -> b n c h w").asnumpy(), np.stack([X, X], 1))
    assert ours.parse_shape(x, "b _ h w") == {"b": 2, "h": 8, "w": 6}
    flags = Tensor(X > 0)
    np.testing.assert_array_equal(ours.reduce(flags, "b c h w -> b", "any").asnumpy(), (X > 0).any((1, 2, 3)))
    with pytest.raises(ours.EinopsError):
        ours.rearrange(x, "b c h -> b")


def test_layers() -> None:
    net = nn.SequentialCell(ours.Rearrange("b c (h p) w -> b h (p w c)", p=2), ours.Reduce("b h n -> b n", "mean"))
    theirs = torch.nn.Sequential(
        layers.Rearrange("b c (h p) w -> b h (p w c)", p=2), layers.Reduce("b h n -> b n", "mean")
    )
    np.testing.assert_allclose(net(Tensor(X)).asnumpy(), theirs(torch.tensor(X)).numpy(), 1e-5, 1e-6)
    assert "b c (h p) w" in repr(net) and "p=2" in repr(net) and not list(net.get_parameters())


@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        ("b c h w -> b d h w", {"weight_shape": "c d", "bias_shape": "d", "c": 3, "d": 4}),
        ("b c (h p) w -> b (h d) w c", {"weight_shape": "p d", "p": 2, "d": 5}),
    ],
)
def test_einmix(pattern: str, options: dict[str, Any]) -> None:
    ours_, theirs = ours.EinMix(pattern, **options), layers.EinMix(pattern, **options)
    assert abs(ours_.weight.asnumpy()).max() <= abs((3 / (options.get("c") or options["p"])) ** 0.5)
    ours_.load_state_dict({key: Tensor(value.numpy()) for key, value in theirs.state_dict().items()})
    expected = theirs(torch.tensor(X))
    (expected * expected).sum().backward()

    def loss() -> Tensor:
        out = ours_(Tensor(X))
        return (out * out).sum()

    np.testing.assert_allclose(ours_(Tensor(X)).asnumpy(), expected.detach().numpy(), 1e-5, 1e-5)
    _, grads = value_and_grad(loss, None, ours_.trainable_params())()
    for grad, parameter in zip(grads, theirs.parameters(), strict=True):
        np.testing.assert_allclose(grad.asnumpy(), parameter.grad.numpy(), 1e-4, 1e-3)
    assert repr(pattern) in repr(ours_)
