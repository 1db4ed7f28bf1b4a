"""Layers that mint lacks beside torch.nn: bags, adaptive softmax, lazy layers, base classes."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Tensor, ops

from torch2ms.runtime import manual_seed, mint, nn, optim, value_and_grad

RNG = np.random.RandomState(0)
INDEX = np.array([1, 3, 5, 3, 0, 2, 5])


def same(ours, theirs, tol=1e-5):
    np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=tol, atol=tol)


def pair(name, *args, **options):
    torch.manual_seed(3)
    theirs = getattr(torch.nn, name)(*args, **options)
    manual_seed(3)
    return getattr(nn, name)(*args, **options), theirs


def gradients(ours, theirs, run, t_run, tol=1e-4):
    loss, grads = value_and_grad(run, None, tuple(ours.parameters()))()
    t_loss = t_run()
    t_loss.backward()
    same(loss, t_loss)
    for g, (name, p) in zip(grads, theirs.named_parameters()):
        assert (g is None) == (p.grad is None), name
        if g is not None:
            same(g, p.grad, tol)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("options", [{}, {"padding_idx": 3}])
def test_embedding_bag(mode, options):
    ours, theirs = pair("EmbeddingBag", 6, 4, mode=mode, **options)
    same(ours.weight, theirs.weight)
    for offsets in ([0, 2, 6], [0, 2, 2]):
        o, t = Tensor(offsets), torch.tensor(offsets)
        same(ours(Tensor(INDEX), o), theirs(torch.tensor(INDEX), t))
    same(ours(Tensor(INDEX[:6].reshape(2, 3))), theirs(torch.tensor(INDEX[:6].reshape(2, 3))))
    gradients(
        ours,
        theirs,
        lambda: (ours(Tensor(INDEX), Tensor([0, 2, 6])) ** 2).sum(),
        lambda: (theirs(torch.tensor(INDEX), torch.tensor([0, 2, 6])) ** 2).sum(),
    )


def test_embedding_bag_with_weights_last_offset_and_a_given_table():
    w = RNG.rand(7).astype("float32")
    ours, theirs = pair("EmbeddingBag", 6, 4, mode="sum", include_last_offset=True)
    offsets = [0, 3, 7]
    same(ours(Tensor(INDEX), Tensor(offsets), Tensor(w)), theirs(torch.tensor(INDEX), torch.tensor(offsets), torch.tensor(w)))
    table = RNG.randn(6, 2).astype("float32")
    given = nn.EmbeddingBag.from_pretrained(Tensor(table), mode="mean")
    same(given(Tensor(INDEX[None])), torch.nn.EmbeddingBag.from_pretrained(torch.tensor(table), mode="mean")(torch.tensor(INDEX[None])))
    assert not given.weight.requires_grad
    for call in (lambda: ours(Tensor(INDEX)), lambda: ours(Tensor(INDEX), Tensor([1, 2])), lambda: nn.EmbeddingBag(3, 2, mode="x")):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(NotImplementedError):
        nn.EmbeddingBag(3, 2, max_norm=1.0)


@pytest.mark.parametrize("options", [{}, {"head_bias": True, "div_value": 2.0}])
def test_adaptive_log_softmax(options):
    ours, theirs = pair("AdaptiveLogSoftmaxWithLoss", 32, 10, [3, 6], **options)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    x = RNG.randn(5, 32).astype("float32")
    # no target in the last cluster: its weights get no gradient
    for target in ([0, 4, 9, 7, 2], [0, 4, 5, 1, 2]):
        result, expected = ours(Tensor(x), Tensor(target)), theirs(torch.tensor(x), torch.tensor(target))
        same(result.output, expected.output)
        same(result.loss, expected.loss)
        theirs.zero_grad()
        gradients(ours, theirs, lambda: ours(Tensor(x), Tensor(target)).loss, lambda: theirs(torch.tensor(x), torch.tensor(target)).loss)
    same(ours.log_prob(Tensor(x)), theirs.log_prob(torch.tensor(x)))
    np.testing.assert_array_equal(ours.predict(Tensor(x)).asnumpy(), theirs.predict(torch.tensor(x)).numpy())
    with pytest.raises(RuntimeError):
        ours(Tensor(x), Tensor([0, 0, 0, 0, 10]))
    with pytest.raises(ValueError):
        nn.AdaptiveLogSoftmaxWithLoss(8, 10, [6, 3])


def test_cross_map_lrn_is_refused():
    with pytest.raises(NotImplementedError, match="LocalResponseNorm"):
        nn.CrossMapLRN2d(3)


@pytest.mark.parametrize("options", [{}, {"swap": True, "margin": 0.5, "reduction": "sum"}])
def test_triplet_loss_with_a_distance(options):
    arrays = [RNG.randn(4, 3).astype("float32") for _ in range(3)]
    same(nn.TripletMarginWithDistanceLoss(**options)(*map(Tensor, arrays)), torch.nn.TripletMarginWithDistanceLoss(**options)(*map(torch.tensor, arrays)))
    def distance(a, b):
        return ((a - b) ** 2).sum(1)
    same(
        nn.TripletMarginWithDistanceLoss(distance_function=distance, **options)(*map(Tensor, arrays)),
        torch.nn.TripletMarginWithDistanceLoss(distance_function=distance, **options)(*map(torch.tensor, arrays)),
    )


@pytest.mark.parametrize(
    "name, args, shape",
    [
        ("LazyLinear", (4,), (2, 3)),
        ("LazyConv1d", (4, 3), (2, 3, 6)),
        ("LazyConv2d", (4, 3), (2, 3, 6, 6)),
        ("LazyConvTranspose2d", (4, 3), (2, 3, 6, 6)),
        ("LazyBatchNorm1d", (), (5, 3)),
        ("LazyBatchNorm2d", (), (2, 3, 4, 4)),
        ("LazyInstanceNorm2d", (), (2, 3, 4, 4)),
    ],
)
def test_lazy_layers(name, args, shape):
    x = RNG.randn(*shape).astype("float32")
    torch.manual_seed(3)
    theirs = torch.nn.Sequential(getattr(torch.nn, name)(*args))
    expected = theirs(torch.tensor(x))
    manual_seed(3)
    ours = nn.SequentialCell(getattr(nn, name)(*args))
    for call in (lambda: list(ours.parameters()), lambda: ours.state_dict(), lambda: optim.SGD(ours.parameters(), lr=0.1)):
        with pytest.raises(RuntimeError, match="first call"):
            call()
    same(ours(Tensor(x)), expected)
    assert type(ours[0]).__name__ == type(theirs[0]).__name__ == name[4:]
    assert list(ours.state_dict()) == list(theirs.state_dict())
    same(ours(Tensor(x)), theirs(torch.tensor(x)), 1e-4)


def test_lazy_layers_keep_mode_and_hooks():
    layer = nn.LazyBatchNorm1d().set_train(False)
    calls = []
    layer.register_forward_hook(lambda m, i, o: calls.append(type(m).__name__))
    layer(Tensor(RNG.randn(4, 3).astype("float32")))
    layer(Tensor(RNG.randn(4, 3).astype("float32")))
    assert not layer.training and calls == ["BatchNorm1d"] * 2


def test_base_classes():
    class Focal(nn._WeightedLoss):
        def construct(self, x):
            return ops.sum(x * self.weight)

    loss = Focal(mint.ones(2), reduction="sum")
    assert loss.reduction == "sum" and list(loss.state_dict()) == ["weight"] and isinstance(loss, nn._Loss)
    assert nn._Loss(size_average=False).reduction == "sum" and nn._Loss(reduce=False).reduction == "none"
    assert isinstance(mint.nn.BatchNorm2d(2), nn._BatchNorm) and isinstance(mint.nn.InstanceNorm1d(2), nn._NormBase)
    assert isinstance(mint.nn.ConvTranspose1d(1, 1, 1), nn._ConvNd) and not isinstance(mint.nn.Linear(1, 1), nn._ConvNd)
    assert isinstance(mint.nn.Dropout(), nn._DropoutNd) and isinstance(mint.nn.Dropout3d(), nn._DropoutNd)
    clones = nn._get_clones(mint.nn.Linear(2, 2), 3)
    assert len(clones) == 3 and clones[0].weight is not clones[1].weight
    assert nn._get_activation_fn("relu")(Tensor([-1.0])).asnumpy()[0] == 0
    with pytest.raises(RuntimeError):
        nn._get_activation_fn("x")
