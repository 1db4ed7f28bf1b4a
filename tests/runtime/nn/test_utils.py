"""nn.utils beside torch.nn.utils."""
from __future__ import annotations

import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, ops

from torch2ms.runtime import backward_into, manual_seed, mint, nn, value_and_grad

U, V = nn.utils, torch.nn.utils
X = np.random.RandomState(0).randn(4, 3).astype("float32")


def pair(ours, theirs):
    torch.manual_seed(3)
    b = theirs()
    manual_seed(3)
    return ours(), b


def same(ours, theirs, tol=1e-5):
    np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=tol, atol=tol)


def same_state(ours, theirs, tol=1e-5):
    assert set(ours.state_dict()) == set(theirs.state_dict())
    for key, value in theirs.state_dict().items():
        same(ours.state_dict()[key], value, tol)


def train(ours, theirs, steps=3):
    """A few steps of plain gradient descent on both."""
    for _ in range(steps):
        params = tuple(ours.parameters())
        loss, grads = value_and_grad(lambda: (ours(Tensor(X)) ** 2).mean(), None, params)()
        theirs.zero_grad()
        t_loss = (theirs(torch.tensor(X)) ** 2).mean()
        t_loss.backward()
        same(loss, t_loss)
        by_name = dict(theirs.named_parameters())
        for (name, p), g in zip(ours.named_parameters(), grads):
            same(g, by_name[name].grad)
            ops.assign(p, p - 0.1 * g)
            with torch.no_grad():
                by_name[name] -= 0.1 * by_name[name].grad


@pytest.mark.parametrize("norm_type", [2.0, 1.0, float("inf"), 3.0])
@pytest.mark.parametrize("max_norm", [0.5, 1e3])
def test_clipping_of_slots(norm_type, max_norm):
    arrays = [np.random.RandomState(i).randn(3, 2).astype("float32") for i in range(3)]
    ours = [Parameter(Tensor(a), name="p") for a in arrays]
    theirs = [torch.tensor(a, requires_grad=True) for a in arrays]
    for p, t, a in list(zip(ours, theirs, arrays))[:2]:
        p.grad, t.grad = Tensor(a * 2), torch.tensor(a * 2)
    same(U.clip_grad_norm_(ours, max_norm, norm_type), V.clip_grad_norm_(theirs, max_norm, norm_type))
    for p, t in list(zip(ours, theirs))[:2]:
        same(p.grad, t.grad)
    assert ours[2].grad is None
    U.clip_grad_value_(ours, 0.3)
    V.clip_grad_value_(theirs, 0.3)
    same(ours[0].grad, theirs[0].grad)


def test_clipping_of_norms_that_are_not_finite():
    p, t = Parameter(Tensor(np.ones(2, np.float32)), name="p"), torch.ones(2, requires_grad=True)
    for bad in (np.nan, np.inf):
        p.grad, t.grad = Tensor(np.array([bad, 1], np.float32)), torch.tensor([bad, 1.0])
        same(U.clip_grad_norm_(p, 1.0), V.clip_grad_norm_(t, 1.0))
        same(p.grad, t.grad)
        p.grad = Tensor(np.array([bad, 1], np.float32))
        with pytest.raises(RuntimeError, match="non-finite"):
            U.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
    assert float(U.clip_grad_norm_([], 1.0)) == 0.0


def test_parameters_as_a_vector():
    ours, theirs = pair(lambda: mint.nn.Linear(3, 2), lambda: torch.nn.Linear(3, 2))
    same(U.parameters_to_vector(ours.parameters()), V.parameters_to_vector(theirs.parameters()))
    U.vector_to_parameters(Tensor(np.arange(8, dtype=np.float32)), ours.parameters())
    V.vector_to_parameters(torch.arange(8.0), theirs.parameters())
    same_state(ours, theirs)


@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("how", ["hook", "parametrization"])
def test_weight_norm(dim, how):
    ours_fn, theirs_fn = (U.weight_norm, V.weight_norm) if how == "hook" else (U.parametrizations.weight_norm, V.parametrizations.weight_norm)
    ours, theirs = pair(lambda: ours_fn(mint.nn.Linear(3, 2), dim=dim), lambda: theirs_fn(torch.nn.Linear(3, 2), dim=dim))
    same_state(ours, theirs)
    train(ours, theirs)
    same(ours.weight, theirs.weight)
    if how == "hook":
        U.remove_weight_norm(ours)
        V.remove_weight_norm(theirs)
    else:
        U.parametrize.remove_parametrizations(ours, "weight")
        V.parametrize.remove_parametrizations(theirs, "weight")
        assert type(ours) is mint.nn.Linear
    same_state(ours, theirs)
    train(ours, theirs)


@pytest.mark.parametrize("how", ["hook", "parametrization"])
@pytest.mark.parametrize("iterations", [1, 3])
def test_spectral_norm(how, iterations):
    ours_fn, theirs_fn = (U.spectral_norm, V.spectral_norm) if how == "hook" else (U.parametrizations.spectral_norm, V.parametrizations.spectral_norm)
    ours, theirs = pair(
        lambda: ours_fn(mint.nn.Linear(3, 2), n_power_iterations=iterations),
        lambda: theirs_fn(torch.nn.Linear(3, 2), n_power_iterations=iterations),
    )
    same_state(ours, theirs)
    train(ours, theirs)
    same_state(ours, theirs, 1e-4)
    ours.set_train(False)
    theirs.eval()
    same(ours(Tensor(X)), theirs(torch.tensor(X)))


def test_a_parametrization_of_ones_own():
    def make(base, T, method):
        class Symmetric(base):
            pass

        setattr(Symmetric, method, lambda self, x: x.triu() + x.triu(1).T)
        return Symmetric

    class Symmetric(nn.Cell):
        def construct(self, x):
            return mint.triu(x) + mint.triu(x, 1).T

    class TSymmetric(torch.nn.Module):
        def forward(self, x):
            return torch.triu(x) + torch.triu(x, 1).T

    ours, theirs = pair(lambda: mint.nn.Linear(3, 3), lambda: torch.nn.Linear(3, 3))
    for net, utils, make in ((ours, U, Symmetric), (theirs, V, TSymmetric)):
        assert not utils.parametrize.is_parametrized(net)
        utils.parametrize.register_parametrization(net, "weight", make())
        assert utils.parametrize.is_parametrized(net, "weight") and not utils.parametrize.is_parametrized(net, "bias")
    assert type(ours).__name__ == type(theirs).__name__ and isinstance(ours, mint.nn.Linear)
    assert [k for k, _ in ours.named_parameters()] == [k for k, _ in theirs.named_parameters()]
    same_state(ours, theirs)
    train(ours, theirs)
    np.testing.assert_allclose(ours.weight.asnumpy(), ours.weight.asnumpy().T)
    kept = ours.parametrizations.weight.original
    U.parametrize.remove_parametrizations(ours, "weight", leave_parametrized=False)
    assert ours.weight is kept and type(ours) is mint.nn.Linear


def test_parametrizations_that_do_not_fit_are_refused():
    class Shorter(nn.Cell):
        def construct(self, x):
            return x[:1]

    with pytest.raises(ValueError, match="shape"):
        U.parametrize.register_parametrization(mint.nn.Linear(3, 3), "weight", Shorter())
    with pytest.raises(ValueError, match="does not have"):
        U.parametrize.register_parametrization(mint.nn.Linear(3, 3), "other", Shorter())
    with pytest.raises(ValueError, match="does not have a parametrization"):
        U.parametrize.remove_parametrizations(mint.nn.Linear(3, 3), "weight")
    with pytest.raises(NotImplementedError, match="orthogonal"):
        U.parametrizations.orthogonal(mint.nn.Linear(3, 3))


def test_fusion_with_batch_norm():
    x = np.random.RandomState(1).randn(2, 3, 5, 5).astype("float32")
    for bias in (True, False):
        ours = nn.SequentialCell(mint.nn.Conv2d(3, 4, 3, bias=bias), mint.nn.BatchNorm2d(4))
        for _ in range(3):
            ours(Tensor(x))
        ours.set_train(False)
        fused = U.fuse_conv_bn_eval(ours[0], ours[1])
        np.testing.assert_allclose(fused(Tensor(x)).asnumpy(), ours(Tensor(x)).asnumpy(), rtol=1e-4, atol=1e-5)
        assert [k for k, _ in fused.named_parameters()] == ["weight", "bias"]
    layer, bn = mint.nn.Linear(3, 4).set_train(False), mint.nn.BatchNorm1d(4)
    bn(Tensor(np.random.RandomState(2).randn(6, 4).astype("float32")))
    with pytest.raises(AssertionError, match="eval"):
        U.fuse_linear_bn_eval(layer, bn)
    bn.set_train(False)
    np.testing.assert_allclose(U.fuse_linear_bn_eval(layer, bn)(Tensor(X)).asnumpy(), bn(layer(Tensor(X))).asnumpy(), rtol=1e-4, atol=1e-5)


def test_tuples_and_prefixes():
    t = torch.nn.modules.utils
    for name in ("_single", "_pair", "_triple", "_quadruple"):
        assert getattr(U, name)(3) == getattr(t, name)(3) and getattr(U, name)([1, 2]) == getattr(t, name)([1, 2])
    assert U._reverse_repeat_tuple((1, 2), 2) == t._reverse_repeat_tuple((1, 2), 2) and U._ntuple(5)(1) == t._ntuple(5)(1)
    ours, theirs = {"module.a": 1, "b": 2}, {"module.a": 1, "b": 2}
    U.consume_prefix_in_state_dict_if_present(ours, "module.")
    t.consume_prefix_in_state_dict_if_present(theirs, "module.")
    assert ours == theirs


def test_slots_filled_by_backward_into():
    p = Parameter(Tensor(np.ones(2, np.float32)), name="p")
    assert backward_into((p,), "loss", (Tensor(np.ones(2, np.float32)),)) == "loss"
    assert float(U.clip_grad_norm_([p], 10.0)) == pytest.approx(2**0.5)
