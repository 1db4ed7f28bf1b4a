"""Every optimizer and option beside torch.optim: the same gradients, twelve steps, eager and compiled."""
from __future__ import annotations

import mindspore as ms
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import optim

SHAPES = [(4, 3), (3,), (2, 3, 2), (1,), ()]
CASES = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "maximize": True, "weight_decay": 0.01}),
    ("Adam", {}),
    ("Adam", {"lr": 0.1, "betas": (0.5, 0.9), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "betas": (0.0, 0.9)}),
    ("Adam", {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.1, "maximize": True}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("AdamW", {"lr": 0.1}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5, "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.5, "maximize": True, "eps": 1e-2}),
    ("NAdam", {"lr": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.05}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("RAdam", {"lr": 0.1}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "betas": (0.8, 0.95)}),
    ("RAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("Adamax", {"lr": 0.1}),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.1, "eps": 1e-3, "maximize": True}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "maximize": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 2.0, "rho": 0.5, "eps": 1e-3, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.01, "centered": True, "eps": 1e-2}),
    ("RMSprop", {"lr": 0.01, "centered": True, "momentum": 0.5, "alpha": 0.9, "eps": 1e-2, "maximize": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.7, 1.5), "step_sizes": (1e-2, 0.15), "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 3, "weight_decay": 0.1, "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "beta2_decay": -0.5, "eps": (1e-3, 1e-2), "d": 2.0, "weight_decay": 0.1, "maximize": True}),
]
IDS = [f"{name}-{'-'.join(options)}" for name, options in CASES]


def both(name, options, dtype, compile_after):
    rng = np.random.RandomState(0)
    start = [rng.randn(*s).astype(dtype) if s else np.asarray(rng.randn(), dtype) for s in SHAPES]
    # equal names, as two stand-alone layers have
    ours = [Parameter(Tensor(a), name="weight") for a in start]
    theirs = [torch.tensor(a, requires_grad=True) for a in start]
    opt = getattr(optim, name)(iter(ours), **options)
    t_opt = getattr(torch.optim, name)(theirs, **options)
    if hasattr(opt, "compile_after"):
        opt.compile_after = compile_after
    for step in range(12):
        grads = [rng.randn(*s).astype(dtype) if s else np.asarray(rng.randn(), dtype) for s in SHAPES]
        if step == 3:
            grads[0][:2] = 0
        opt(tuple(Tensor(g) for g in grads))
        for p, g in zip(theirs, grads):
            p.grad = torch.tensor(g)
        t_opt.step()
    return opt, ours, t_opt, theirs, start


@pytest.mark.parametrize("name, options", CASES, ids=IDS)
@pytest.mark.parametrize("compile_after", [None, 2], ids=["eager", "compiled"])
def test_weights_and_state(name, options, compile_after):
    opt, ours, t_opt, theirs, start = both(name, options, "float32", compile_after)
    for p, t, s in zip(ours, theirs, start):
        moved = np.abs(t.detach().numpy() - s).max()
        np.testing.assert_allclose(p.asnumpy(), t.detach().numpy(), rtol=2e-6, atol=2e-5 * moved)
        assert p.name == "weight" and p.shape == s.shape
    state, t_state = opt.state_dict(), t_opt.state_dict()
    assert [set(g) for g in state["param_groups"]] == [set(g) for g in t_state["param_groups"]]
    assert state["param_groups"][0]["params"] == [0, 1, 2, 3, 4]
    assert list(state["state"]) == list(t_state["state"])
    for i, values in t_state["state"].items():
        assert {k for k, v in values.items() if v is not None} == set(state["state"][i])
        for key, value in values.items():
            if value is not None:
                found = state["state"][i][key]
                assert isinstance(found, Tensor) and found.shape == tuple(value.shape), key
                np.testing.assert_allclose(found.asnumpy(), value.numpy(), rtol=3e-5, atol=1e-6, err_msg=key)
    if compile_after is not None and name != "Adafactor":
        assert opt._compiled


@pytest.mark.parametrize("name, options", CASES, ids=IDS)
def test_double_precision(name, options):
    opt, ours, t_opt, theirs, start = both(name, options, "float64", 6)
    rounded_in_torch = name in ("ASGD", "NAdam")
    for p, t in zip(ours, theirs):
        assert p.dtype == ms.float64
        np.testing.assert_allclose(p.asnumpy(), t.detach().numpy(), rtol=1e-7 if rounded_in_torch else 1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_half_precision(name):
    opt, ours, t_opt, theirs, start = both(name, {"lr": 0.01}, "float16", 4)
    for p, t, s in zip(ours, theirs, start):
        assert p.dtype == ms.float16
        np.testing.assert_allclose(p.asnumpy(), t.detach().numpy(), rtol=5e-3, atol=5e-3)


def test_learning_rate_changes_compile_nothing():
    p = Parameter(Tensor(np.ones((3, 2), np.float32)), name="p")
    g = Tensor(np.ones((3, 2), np.float32))
    opt = optim.Adam([p], lr=0.1)
    opt.compile_after = 0
    for i in range(5):
        opt.param_groups[0]["lr"] = 0.1 * (i + 1)
        opt((g,))
    assert len(opt._compiled) == 1


def test_compiled_updates_see_data_that_was_set_from_outside():
    p = Parameter(Tensor(np.ones(3, np.float32)), name="p")
    opt = optim.SGD([p], lr=1.0, momentum=0.5)
    opt.compile_after = 0
    one = Tensor(np.ones(3, np.float32))
    opt((one,))
    opt((one,))
    np.testing.assert_allclose(p.asnumpy(), 1 - 1 - 1.5)
    p.set_data(Tensor(np.full(3, 10.0, np.float32)))
    opt((one,))
    np.testing.assert_allclose(p.asnumpy(), 10 - 1.75)
    ms.ops.assign(opt.state[p]["momentum_buffer"], Tensor(np.zeros(3, np.float32)))
    opt((one,))
    np.testing.assert_allclose(p.asnumpy(), 10 - 1.75 - 1)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(
    "make",
    [
        lambda p: optim.SGD(p, 1.0),
        lambda p: optim.SGD(p, 1.0, momentum=0.5, weight_decay=0.1),
        lambda p: optim.SGD(p, 1.0, momentum=0.5, weight_decay=0.1, nesterov=True),
        lambda p: optim.Adam(p, 0.1, weight_decay=0.1),
        lambda p: optim.Adam(p, 0.1, amsgrad=True, weight_decay=0.1),
        lambda p: optim.AdamW(p, 0.1),
        lambda p: optim.RMSprop(p, 0.1, weight_decay=0.1),
        lambda p: optim.RMSprop(p, 0.1, maximize=True),
        lambda p: optim.RMSprop(p, 0.1, alpha=0.9999),
        lambda p: optim.RMSprop(p, 0.1, momentum=0.5, centered=True),
        lambda p: optim.Adagrad(p, 0.1, weight_decay=0.1, lr_decay=0.1),
        lambda p: optim.Adagrad(p, 0.1, eps=1e-3, maximize=True),
    ],
)
def test_set_data_between_compiled_updates_gives_what_eager_updates_give(make, count):
    def run(compile_after):
        params = [Parameter(Tensor(np.ones(3, np.float32)), name=f"p{i}") for i in range(count)]
        opt = make(params)
        opt.compile_after = compile_after
        grads = tuple(Tensor(np.full(3, 1.0 + i, np.float32)) for i in range(count))
        seen = []
        for value in (None, None, 10.0, None, -5.0, None):
            if value is not None:
                params[-1].set_data(Tensor(np.full(3, value, np.float32)))
            opt(grads)
            seen.append([p.asnumpy().copy() for p in params])
        return np.array(seen)

    # steps of size one, which end at zero
    np.testing.assert_allclose(run(0), run(None), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_compiled_updates_of_each_dtype_give_what_eager_updates_give(dtype):
    def run(compile_after):
        params = [Parameter(Tensor(np.arange(1, 4).astype(dtype)), name=f"p{i}") for i in range(2)]
        opt = optim.Adam(params, 0.125, weight_decay=0.25)
        opt.compile_after = compile_after
        for _ in range(4):
            opt(tuple(Tensor(np.array([0.5, 1, -2], dtype)) for _ in params))
        return np.array([p.asnumpy() for p in params])

    np.testing.assert_allclose(run(0), run(None), rtol={np.float64: 1e-12, np.float32: 1e-5, np.float16: 1e-3}[dtype])


def test_parameters_that_take_turns_do_not_compile_without_end():
    params = [Parameter(Tensor(np.ones(2, np.float32)), name=f"p{i}") for i in range(6)]
    opt = optim.SGD(params, lr=0.1)
    opt.compile_after = 1
    one = Tensor(np.ones(2, np.float32))
    rng = np.random.RandomState(0)
    counts = np.zeros(6)
    for _ in range(60):
        live = rng.rand(6) < 0.5
        counts += live
        opt(tuple(one if use else None for use in live))
    assert len(opt._compiled) <= 8
    np.testing.assert_allclose([float(p[0]) for p in params], 1 - 0.1 * counts, rtol=1e-5)
