"""The tape beside PyTorch's own."""
from __future__ import annotations

import copy
import gc

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, ops

from torch2ms.runtime import _backend, enable_grad, grad, nn, no_grad, tape, value_and_grad

RNG = np.random.RandomState(0)
A = RNG.randn(3, 4).astype("float32")
B = RNG.randn(4).astype("float32")


def pair(a, name="p"):
    return Parameter(Tensor(a), name=name), torch.tensor(a, requires_grad=True)


def same(ours, theirs, tol=1e-5):
    assert (ours is None) == (theirs is None), (ours, theirs)
    if ours is not None:
        np.testing.assert_allclose(ours.asnumpy(), theirs.detach().numpy(), rtol=tol, atol=tol)


@pytest.fixture(autouse=True)
def tape_on(started):
    yield


def test_gradients_accumulate_until_they_are_cleared():
    (p, tp), (q, tq) = pair(A), pair(B, "q")
    for _ in range(3):
        tape.backward(((p * q) ** 2).mean())
        ((tp * tq) ** 2).mean().backward()
        same(p.grad, tp.grad)
        same(q.grad, tq.grad)
    p.grad = None
    del q.grad
    assert p.grad is None and q.grad is None


@pytest.mark.parametrize(
    "loss",
    [
        lambda a, b: a + b,
        lambda a, b: a + b.tanh(),
        lambda a, b: a.view(4, 1) + b.view(4, 1),
        lambda a, b: a + b + a * 2,
        lambda a, b: sum([a, b, b]),
    ],
)
def test_terms_of_a_sum_have_gradients_of_their_own(loss):
    (p, tp), (q, tq) = pair(B), pair(B, "q")
    for _ in range(2):
        tape.backward(loss(p, q).sum())
        loss(tp, tq).sum().backward()
        same(p.grad, tp.grad)
        same(q.grad, tq.grad)
    p.grad.copy_(p.grad * 5)
    same(q.grad, tq.grad)


def test_unreached_and_frozen_parameters_have_no_gradient():
    (p, _), (q, _), (r, _) = pair(A), pair(B, "q"), pair(B, "r")
    q.requires_grad = False
    tape.backward((p * q).sum())
    assert p.grad is not None and q.grad is None and r.grad is None


def test_retain_graph_gradient_and_inputs():
    (p, tp), (q, tq) = pair(A), pair(B, "q")
    y, ty = p * q, tp * tq
    v = RNG.randn(3, 4).astype("float32")
    tape.backward(y, Tensor(v), retain_graph=True)
    ty.backward(torch.tensor(v), retain_graph=True)
    tape.backward(y.sum(), inputs=[q])
    ty.sum().backward(inputs=[tq])
    same(p.grad, tp.grad)
    same(q.grad, tq.grad)
    with pytest.raises(RuntimeError, match="twice"):
        tape.backward(y, Tensor(v))


@pytest.mark.parametrize(
    "loss, error, match",
    [
        (lambda p: p * 2, RuntimeError, "scalar outputs"),
        (lambda p: ops.stop_gradient(p).sum(), RuntimeError, "does not require grad"),
        (lambda p: p.astype(ms.int32).sum(), RuntimeError, "does not require grad"),
        (lambda p: 3.0, TypeError, "float"),
    ],
)
def test_what_has_no_gradient_raises(loss, error, match):
    with pytest.raises(error, match=match):
        tape.backward(loss(pair(A)[0]))


def test_wrong_shapes_and_empty_inputs_raise():
    p, _ = pair(A)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        tape.backward(p * 2, Tensor(B))
    with pytest.raises(RuntimeError, match="cannot be empty"):
        tape.backward(p.sum(), inputs=[])
    with pytest.raises(RuntimeError, match="different size"):
        p.grad = Tensor(B)
    with pytest.raises(TypeError, match="float"):
        p.grad = 3.0


def test_grad_of_parameters_intermediates_and_leaves():
    (p, tp), (q, tq) = pair(A), pair(B, "q")
    x, tx = Tensor(A), torch.tensor(A, requires_grad=True)
    x.requires_grad_()
    h, th = p * q + x, tp * tq + tx
    k, tk = h * h, th * th
    loss, t_loss = (k * q).sum(), (tk * tq).sum()
    ours = tape.grad(loss, [p, h, q, k, x])
    theirs = torch.autograd.grad(t_loss, [tp, th, tq, tk, tx])
    for o, t in zip(ours, theirs):
        same(o, t, 1e-4)
    assert p.grad is None and x.grad is None


def test_grad_of_what_is_not_used():
    (p, _tp), (q, _tq) = pair(A), pair(B, "q")
    with pytest.raises(RuntimeError, match="allow_unused"):
        tape.grad(p.sum(), [p, q])
    assert tape.grad(p.sum(), [p, q], allow_unused=True)[1] is None
    same(tape.grad(p.sum(), [p, q], materialize_grads=True)[1], torch.zeros(4))
    q.requires_grad = False
    with pytest.raises(RuntimeError, match="does not require grad"):
        tape.grad(p.sum(), [q])
    with pytest.raises(NotImplementedError):
        tape.grad(p.sum(), p, is_grads_batched=True)


def test_create_graph_in_grad_and_in_backward():
    p, tp = pair(A)
    x, tx = Tensor(A), torch.tensor(A, requires_grad=True)
    x.requires_grad = True
    (g,) = tape.grad(((x * p) ** 3).sum(1).sum(), x, create_graph=True)
    (tg,) = torch.autograd.grad(((tx * tp) ** 3).sum(1).sum(), tx, create_graph=True)
    tape.backward(((g**2).sum(1) - 1).pow(2).mean())
    ((tg**2).sum(1) - 1).pow(2).mean().backward()
    same(p.grad / 1e3, tp.grad / 1e3)
    same(x.grad / 1e3, tx.grad / 1e3)

    p, tp = pair(A)
    tape.backward((p**3).sum(), create_graph=True)
    (tp**3).sum().backward(create_graph=True)
    (second,) = tape.grad(p.grad.sum(), p)
    (t_second,) = torch.autograd.grad(tp.grad.sum(), tp)
    same(second, t_second)


def test_no_grad_and_enable_grad():
    p, _ = pair(A)
    with no_grad():
        y = p * 2
        with enable_grad():
            z = p * 3
    assert not y.requires_grad and z.requires_grad and y.is_leaf and not z.is_leaf
    with pytest.raises(RuntimeError, match="does not require grad"):
        tape.backward(y.sum())


def test_value_and_grad_and_the_tape_do_not_disturb_each_other():
    (p, tp), (q, tq) = pair(A), pair(B, "q")
    before = (p * q).sum()
    loss, (g,) = value_and_grad(lambda: ((p * q) ** 2).sum(), None, (p,))()
    ((tp * tq) ** 2).sum().backward()
    same(g, tp.grad)
    assert p.grad is None and q.grad is None and _backend.is_recording()
    with pytest.raises(KeyError):
        value_and_grad(lambda: {}["missing"], None, (p,))()
    assert _backend.is_recording()
    after = (p * 2).sum()
    tp.grad = tq.grad = None
    tape.backward(before)
    tape.backward(after)
    ((tp * tq).sum() + (tp * 2).sum()).backward()
    same(p.grad, tp.grad)
    same(q.grad, tq.grad)
    ms.value_and_grad(lambda: (p * p).sum(), None, ms.ParameterTuple([p]))()
    tape.start()
    tape.backward((p * p).sum())


def test_a_gradient_penalty_written_with_grad_reaches_the_tape():
    p, tp = pair(A)
    slopes = grad(lambda x: (x * p) ** 2)(Tensor(A))
    tape.backward((slopes**2).sum())
    tx = torch.tensor(A, requires_grad=True)
    (ts,) = torch.autograd.grad(((tx * tp) ** 2).sum(), tx, create_graph=True)
    (ts**2).sum().backward()
    same(p.grad / 1e2, tp.grad / 1e2)


def test_cells_with_bprop_work_on_the_tape():
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, g):
            return 10 * x * g

    p, _ = pair(A)
    tape.backward(Square()(p).sum())
    same(p.grad, torch.tensor(10 * A))


def test_hooks_and_retained_gradients():
    p, tp = pair(A)
    seen = []
    handle = p.register_hook(lambda g: g * 2)
    h, th = p * 3, tp * 3
    h.register_hook(lambda g: seen.append(g.shape))
    h.retain_grad()
    th.retain_grad()
    tape.backward((h * h).sum())
    handle.remove()
    (th * th).sum().backward()
    same(h.grad, th.grad)
    same(p.grad, tp.grad * 2)
    assert seen == [(3, 4)]


def test_requires_grad_of_plain_tensors():
    x = Tensor(A)
    assert x.requires_grad is False and x.is_leaf
    x.requires_grad = True
    tape.backward((x * x).sum())
    same(x.grad, torch.tensor(2 * A))
    with pytest.raises(RuntimeError, match="leaf"):
        (x * 2).requires_grad = False
    with pytest.raises(RuntimeError, match="floating point"):
        Tensor([1, 2]).requires_grad = True


def test_graphs_that_outlive_a_step():
    p, tp = pair(B)
    kept, t_kept = [], []
    for i in range(5):
        kept.append((p * i).sin().sum())
        t_kept.append((tp * i).sin().sum())
    total = kept[0]
    for k in kept[1:]:
        total = total + k
    tape.backward(total)
    sum(t_kept).backward()
    same(p.grad, tp.grad)


def test_deepcopy_owns_its_data_everywhere():
    x = Tensor(A)
    nested = {"x": x, "list": [x, (x,)]}
    clone = copy.deepcopy(nested)
    clone["x"][0, 0] = 99.0
    assert float(x[0, 0]) == A[0, 0]
    assert clone["list"][0] is clone["x"] and clone["list"][1][0] is clone["x"]


def test_memory_stays_flat_over_a_thousand_steps():
    p = Parameter(Tensor(RNG.randn(64, 64).astype("float32")), name="p")

    def step():
        h = p
        for _ in range(4):
            h = h * p / (1 + h * h)
        tape.backward(h[0, 0])
        p.grad = None

    def resident():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4

    for _ in range(300):
        step()
    before = resident()
    for _ in range(1000):
        step()
    assert resident() - before < 8000, "a graph or a tensor that stays would be 12000 and more"


def test_writes_through_data_and_views_without_gradients_reach_the_tensor():
    (p, tp), x, tx = pair(A), Tensor(A), torch.tensor(A)
    p.data[0, 1] = 5
    ops.stop_gradient(p)[1:, 0] = 7
    tp.data[0, 1] = 5
    tp.data[1:, 0] = 7
    x.reshape(2, 6)[1] = 3
    tx.view(2, 6)[1] = 3
    same(p, tp)
    same(x, tx)
    tape.backward((p * x).sum())
    (tp * tx).sum().backward()
    same(p.grad, tp.grad)
