"""autograd.Function beside PyTorch's: plain, inside value_and_grad and on the tape."""
from __future__ import annotations

import gc

import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor, ops

from torch2ms.runtime import Function, enable_grad, grad, tape, value_and_grad
from torch2ms.runtime.function import once_differentiable

A = np.random.RandomState(0).randn(3, 4).astype("float32")
SIDES = {}


def both(body):
    """Define one class body for the two libraries: `body(Function, stop, exp)` returns the class."""
    def stop(x):
        return x.detach()
    return body(Function, ops.exp), body(torch.autograd.Function, torch.exp)


def run(ours, theirs, tol=1e-5):
    """Compare loss and gradient of `ours(p)` in value_and_grad and on the tape with `theirs(tp)`."""
    p, tp = Parameter(Tensor(A), name="p"), torch.tensor(A, requires_grad=True)
    loss, (g,) = value_and_grad(lambda: ours(p), None, (p,))()
    t_loss = theirs(tp)
    t_loss.backward()
    np.testing.assert_allclose(float(loss), float(t_loss), rtol=tol)
    np.testing.assert_allclose(g.asnumpy(), tp.grad.numpy(), rtol=tol, atol=tol)
    tape.start()
    tape.backward(ours(p))
    np.testing.assert_allclose(p.grad.asnumpy(), tp.grad.numpy(), rtol=tol, atol=tol)


@pytest.fixture(autouse=True)
def tape_off_again(started):
    yield


def scaled_exp(Base, exp):
    class F(Base):
        @staticmethod
        def forward(ctx, x, k, flag=True):
            y = exp(x) * k
            ctx.save_for_backward(x, y)
            ctx.flag = flag
            return y

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            assert ctx.needs_input_grad[:2] == (True, False) and ctx.flag
            return g * y * 2, None, None

    return F


def test_saved_tensors_attributes_and_non_tensor_arguments():
    ours, theirs = both(scaled_exp)
    run(lambda p: ours.apply(p, 2.0, True).sum(), lambda p: theirs.apply(p, 2.0, True).sum())


def test_one_function_called_twice_and_nested():
    ours, theirs = both(scaled_exp)
    def f(F):
        return lambda p: (F.apply(F.apply(p * 0.1, 0.5, True), 1.0, True) * F.apply(p * 0.1, 3.0, True)).sum()
    run(f(ours), f(theirs))


def test_plain_call():
    ours, theirs = both(scaled_exp)
    np.testing.assert_allclose(ours.apply(Tensor(A), 2.0).asnumpy(), theirs.apply(torch.tensor(A), 2.0).numpy(), rtol=1e-5)


def several(Base, exp):
    class F(Base):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y, x + y, "note"

        @staticmethod
        def backward(ctx, ga, gb, _):
            x, y = ctx.saved_tensors
            return ga * y + 3 * gb, ga * x + gb

    return F


def test_several_inputs_and_outputs_one_of_them_unused():
    ours, theirs = both(several)
    run(lambda p: ours.apply(p, p * 2)[0].sum(), lambda p: theirs.apply(p, p * 2)[0].sum())
    def f(F):
        return lambda p: sum((o * o).sum() for o in F.apply(p, p * 2)[:2])
    run(f(ours), f(theirs))
    assert ours.apply(Tensor(A), Tensor(A))[2] == "note"


def unmaterialized(Base, exp):
    class F(Base):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, ga, gb):
            assert ga is None
            return gb * 3

    return F


def test_gradients_that_are_not_materialized():
    ours, theirs = both(unmaterialized)
    run(lambda p: ours.apply(p)[1].sum(), lambda p: theirs.apply(p)[1].sum())


def indices(Base, exp):
    class F(Base):
        @staticmethod
        def forward(ctx, x):
            m = x * 2
            ctx.mark_non_differentiable(m)
            return x * 1, m

        @staticmethod
        def backward(ctx, g, _):
            return g * 5

    return F


def test_mark_non_differentiable():
    ours, theirs = both(indices)

    def f(F):
        def inner(p):
            a, m = F.apply(p)
            assert not m.requires_grad
            return (a * m).sum()

        return inner

    run(f(ours), f(theirs))


def test_mark_dirty_in_place():
    class Ours(Function):
        @staticmethod
        def forward(ctx, x):
            x[:] = x * 3
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Theirs(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(3)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    def f(F):
        def inner(p):
            h = p * 1
            y = F.apply(h)
            return (y * y).sum()

        return inner

    run(f(Ours), f(Theirs))


def reversal(Base, exp):
    class F(Base):
        @staticmethod
        def forward(ctx, x, alpha):
            ctx.alpha = alpha
            return x.view(x.shape)

        @staticmethod
        def backward(ctx, g):
            return -g * ctx.alpha, None

    return F


def test_gradient_reversal():
    ours, theirs = both(reversal)
    run(lambda p: (ours.apply(p * 2, 0.3) * p).sum(), lambda p: (theirs.apply(p * 2, 0.3) * p).sum())


def with_setup(Base, exp):
    class F(Base):
        @staticmethod
        def forward(x, k):
            return x * x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * 2 * ctx.k, None

    return F


def test_setup_context():
    ours, theirs = both(with_setup)
    run(lambda p: ours.apply(p, 7.0).sum(), lambda p: theirs.apply(p, 7.0).sum())


def test_a_wrong_number_of_gradients_raises():
    class F(Function):
        @staticmethod
        def forward(ctx, x, k):
            return x * k

        @staticmethod
        def backward(ctx, g):
            return g

    p = Parameter(Tensor(A), name="p")
    with pytest.raises(RuntimeError, match="wrong number of gradients"):
        value_and_grad(lambda: F.apply(p, 2.0).sum(), None, (p,))()


def test_double_backward_and_once_differentiable():
    ours, theirs = both(with_setup)
    p, tp = Parameter(Tensor(A), name="p"), torch.tensor(A, requires_grad=True)
    (g,) = value_and_grad(lambda: grad(lambda x: ours.apply(x, 3.0) ** 2)(p).sum(), None, (p,))()[1]
    (first,) = torch.autograd.grad((theirs.apply(tp, 3.0) ** 2).sum(), tp, create_graph=True)
    first.sum().backward()
    np.testing.assert_allclose(g.asnumpy(), tp.grad.numpy(), rtol=1e-4)

    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] * 2

    (g,) = value_and_grad(lambda: Once.apply(p).sum(), None, (p,))()[1]
    np.testing.assert_allclose(g.asnumpy(), 2 * A, rtol=1e-5)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        value_and_grad(lambda: grad(lambda x: Once.apply(x) ** 2)(p).sum(), None, (p,))()


def test_backward_that_runs_the_forward_again():
    class Checkpoint(Function):
        @staticmethod
        def forward(ctx, run, x):
            ctx.run = run
            ctx.save_for_backward(x)
            return run(x)

        @staticmethod
        def backward(ctx, g):
            with enable_grad():
                x = ops.stop_gradient(ctx.saved_tensors[0])
                x.requires_grad_()
                y = ctx.run(x)
            return None, tape.grad(y, x, g)[0]

    def cube(x):
        return x * x * x
    run(lambda p: Checkpoint.apply(cube, p * 2).sum(), lambda p: cube(p * 2).sum())


@pytest.mark.parametrize("keep", ["saved output", "attribute"])
def test_contexts_are_freed(keep):
    class F(Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            if keep == "attribute":
                ctx.y = y
            else:
                ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * (ctx.y if keep == "attribute" else ctx.saved_tensors[1])

    p = Parameter(Tensor(np.ones((100, 100), np.float32)), name="p")
    step = value_and_grad(lambda: F.apply(p)[0, 0], None, (p,))

    def resident():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4

    for _ in range(50):
        step()
    before = resident()
    for _ in range(300):
        step()
    assert resident() - before < 300 * 20, "a context that stays keeps 40 kB"
