"""Every scheduler beside torch.optim.lr_scheduler: learning rates, momenta, state, over 25 epochs."""
from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import optim

ours, theirs = optim.lr_scheduler, torch.optim.lr_scheduler

CASES = {
    "LambdaLR": lambda s, o: s.LambdaLR(o, lambda e: 0.9**e),
    "LambdaLR of groups": lambda s, o: s.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (1 + e)]),
    "MultiplicativeLR": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.5 + 0.1 * (e % 3)),
    "StepLR": lambda s, o: s.StepLR(o, 4, gamma=0.3),
    "MultiStepLR": lambda s, o: s.MultiStepLR(o, [3, 7, 7, 12], gamma=0.5),
    "ConstantLR": lambda s, o: s.ConstantLR(o, factor=0.25, total_iters=6),
    "LinearLR": lambda s, o: s.LinearLR(o, start_factor=0.2, end_factor=0.9, total_iters=8),
    "LinearLR default": lambda s, o: s.LinearLR(o),
    "ExponentialLR": lambda s, o: s.ExponentialLR(o, 0.8),
    "PolynomialLR": lambda s, o: s.PolynomialLR(o, total_iters=9, power=2.0),
    "CosineAnnealingLR": lambda s, o: s.CosineAnnealingLR(o, T_max=7, eta_min=0.01),
    "CosineAnnealingWarmRestarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=0.01),
    "CosineAnnealingWarmRestarts 1": lambda s, o: s.CosineAnnealingWarmRestarts(o, T_0=5),
    "CyclicLR": lambda s, o: s.CyclicLR(o, 0.01, [0.1, 0.2], step_size_up=4, step_size_down=3),
    "CyclicLR triangular2": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4, mode="triangular2", cycle_momentum=False),
    "CyclicLR exp_range": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4, mode="exp_range", gamma=0.9),
    "CyclicLR scale_fn": lambda s, o: s.CyclicLR(o, 0.01, 0.1, step_size_up=4, scale_fn=lambda x: 0.7**x, scale_mode="iterations"),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.5, total_steps=25),
    "OneCycleLR linear": lambda s, o: s.OneCycleLR(o, [0.5, 0.6], epochs=5, steps_per_epoch=5, anneal_strategy="linear", pct_start=0.4),
    "OneCycleLR three": lambda s, o: s.OneCycleLR(o, 0.5, total_steps=25, three_phase=True, div_factor=10.0, base_momentum=0.7),
    "SequentialLR": lambda s, o: s.SequentialLR(o, [s.LinearLR(o, total_iters=4), s.ExponentialLR(o, 0.9), s.StepLR(o, 2)], [4, 12]),
    "SequentialLR cosine": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.CosineAnnealingLR(o, 10)], [3]),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.LinearLR(o, total_iters=5), s.MultiStepLR(o, [6, 9])]),
    "ChainedScheduler cosine": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.5, 4), s.CosineAnnealingLR(o, 20)], o),
    "SWALR": lambda s, o: (optim if s is ours else torch.optim).swa_utils.SWALR(o, swa_lr=0.05, anneal_epochs=6),
    "SWALR linear": lambda s, o: (optim if s is ours else torch.optim).swa_utils.SWALR(o, [0.05, 0.2], 4, "linear"),
}


def optimizers(kind="SGD"):
    options = {"momentum": 0.9} if kind == "SGD" else {}
    p = [Parameter(Tensor(np.ones(1, np.float32)), name=f"p{i}") for i in range(2)]
    t = [torch.ones(1, requires_grad=True) for _ in range(2)]
    return (
        getattr(optim, kind)([{"params": [p[0]]}, {"params": [p[1]], "lr": 0.4}], lr=0.2, **options),
        getattr(torch.optim, kind)([{"params": [t[0]]}, {"params": [t[1]], "lr": 0.4}], lr=0.2, **options),
    )


def view(optimizer):
    keys = ("lr", "momentum", "betas", "initial_lr", "max_momentum", "base_momentum")
    return [v for g in optimizer.param_groups for k in keys if k in g for v in (g[k] if isinstance(g[k], tuple) else [g[k]])]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("name", CASES)
def test_learning_rates_and_momenta(name, kind):
    if kind == "Adam" and "Cycl" not in name and "Cycle" not in name:
        pytest.skip("the optimizer matters to momentum only")
    opt, t_opt = optimizers(kind)
    scheduler, t_scheduler = CASES[name](ours, opt), CASES[name](theirs, t_opt)
    for _ in range(25):
        assert view(opt) == pytest.approx(view(t_opt), rel=1e-12, abs=1e-18)
        assert scheduler.get_last_lr() == pytest.approx(t_scheduler.get_last_lr(), rel=1e-12, abs=1e-18)
        if "OneCycle" not in name or t_scheduler.last_epoch < 25:
            scheduler.step()
            t_scheduler.step()
    saved, t_saved = scheduler.state_dict(), t_scheduler.state_dict()
    assert set(t_saved) - set(saved) <= {"_get_lr_called_within_step", "_is_initial", "use_beta1", "_scale_fn_ref"}
    for key, value in t_saved.items():
        if key in saved and isinstance(value, (int, float, str)):
            assert saved[key] == pytest.approx(value) if isinstance(value, float) else saved[key] == value, key


@pytest.mark.parametrize("name", CASES)
def test_state_dict_resumes(name):
    opt, _ = optimizers()
    scheduler = CASES[name](ours, opt)
    for _ in range(8):
        scheduler.step()
    fresh_opt, _ = optimizers()
    fresh = CASES[name](ours, fresh_opt)
    fresh.load_state_dict(scheduler.state_dict())
    fresh_opt.load_state_dict(opt.state_dict())
    for _ in range(8):
        assert view(fresh_opt) == view(opt) and fresh.get_last_lr() == scheduler.get_last_lr()
        scheduler.step()
        fresh.step()


@pytest.mark.parametrize("name", ["StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR", "ConstantLR", "PolynomialLR", "LambdaLR", "CosineAnnealingWarmRestarts"])
def test_a_given_epoch_and_a_resumed_one(name):
    opt, t_opt = optimizers()
    scheduler, t_scheduler = CASES[name](ours, opt), CASES[name](theirs, t_opt)
    for epoch in (0, 5, 6, 12, 3):
        scheduler.step(epoch)
        t_scheduler.step(epoch)
        assert view(opt) == pytest.approx(view(t_opt), rel=1e-12)
    classes = {"StepLR": (4, 0.3), "ExponentialLR": (0.8,), "CosineAnnealingLR": (7, 0.01)}
    if name in classes:
        resumed = getattr(ours, name)(opt, *classes[name], last_epoch=3)
        t_resumed = getattr(theirs, name)(t_opt, *classes[name], last_epoch=3)
        for _ in range(4):
            assert view(opt) == pytest.approx(view(t_opt), rel=1e-12)
            resumed.step()
            t_resumed.step()
    with pytest.raises(KeyError, match="initial_lr"):
        ours.StepLR(optimizers()[0], 3, last_epoch=2)


@pytest.mark.parametrize(
    "options",
    [{}, {"mode": "max", "factor": 0.5}, {"threshold_mode": "abs", "threshold": 0.05}, {"cooldown": 2, "min_lr": [0.05, 0.01]}, {"mode": "max", "threshold_mode": "abs", "patience": 0}],
)
def test_plateau(options):
    opt, t_opt = optimizers()
    options = {"patience": 2, **options}
    scheduler, t_scheduler = ours.ReduceLROnPlateau(opt, **options), theirs.ReduceLROnPlateau(t_opt, **options)
    rng = np.random.RandomState(0)
    for i in range(40):
        metric = math.exp(-i / 10) + 0.1 * rng.rand()
        scheduler.step(Tensor(np.float32(metric)))
        t_scheduler.step(torch.tensor(np.float32(metric)))
        assert view(opt) == view(t_opt) and scheduler.num_bad_epochs == t_scheduler.num_bad_epochs
    fresh = ours.ReduceLROnPlateau(opt)
    fresh.load_state_dict(scheduler.state_dict())
    assert fresh.best == scheduler.best and fresh.patience == options["patience"]
    assert fresh.in_cooldown == scheduler.in_cooldown


def test_a_subclass():
    def make(base):
        class Warmup(base):
            def __init__(self, optimizer, steps, last_epoch=-1):
                self.steps = steps
                super().__init__(optimizer, last_epoch)

            def get_lr(self):
                return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]

        return Warmup

    opt, t_opt = optimizers()
    scheduler, t_scheduler = make(ours.LRScheduler)(opt, 5), make(theirs.LRScheduler)(t_opt, 5)
    for _ in range(8):
        assert scheduler.get_last_lr() == t_scheduler.get_last_lr() and scheduler._step_count == t_scheduler._step_count
        scheduler.step()
        t_scheduler.step()
    assert issubclass(ours._LRScheduler, ours.LRScheduler)


def test_the_wrong_order_warns_once_and_the_right_one_does_not():
    for right in (False, True):
        opt, _ = optimizers()
        scheduler = ours.StepLR(opt, 2)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for _ in range(3):
                if right:
                    opt((None, None))
                scheduler.step()
        assert len(seen) == (0 if right else 1)


def test_a_learning_rate_in_a_tensor_keeps_its_identity():
    p = Parameter(Tensor(np.ones(1, np.float32)), name="p")
    lr = Tensor(0.5)
    opt = optim.SGD([p], lr=lr)
    scheduler = ours.ExponentialLR(opt, 0.5)
    opt((None,))
    scheduler.step()
    assert opt.param_groups[0]["lr"] is lr and float(lr) == 0.25
    assert [float(v) for v in scheduler.get_last_lr()] == [0.25] and float(scheduler.base_lrs[0]) == 0.5


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda o: ours.StepLR(3, 2), TypeError),
        (lambda o: ours.LambdaLR(o, [lambda e: 1]), ValueError),
        (lambda o: ours.MultiplicativeLR(o, 3), TypeError),
        (lambda o: ours.ConstantLR(o, factor=2), ValueError),
        (lambda o: ours.LinearLR(o, start_factor=0), ValueError),
        (lambda o: ours.CosineAnnealingWarmRestarts(o, 0), ValueError),
        (lambda o: ours.OneCycleLR(o, 0.1), ValueError),
        (lambda o: ours.OneCycleLR(o, 0.1, total_steps=10, anneal_strategy="x"), ValueError),
        (lambda o: ours.CyclicLR(o, 0.1, 0.2, mode="x"), ValueError),
        (lambda o: ours.SequentialLR(o, [ours.StepLR(o, 2)], [3]), ValueError),
        (lambda o: ours.SequentialLR(o, [ours.ReduceLROnPlateau(o)], []), ValueError),
        (lambda o: ours.ChainedScheduler([]), ValueError),
        (lambda o: ours.ReduceLROnPlateau(o, factor=1.0), ValueError),
        (lambda o: ours.ReduceLROnPlateau(o, mode="x"), ValueError),
    ],
)
def test_wrong_use(make, error):
    with pytest.raises(error):
        make(optimizers()[0])


def test_one_cycle_refuses_to_go_on_for_ever():
    opt, _ = optimizers()
    scheduler = ours.OneCycleLR(opt, 0.1, total_steps=3)
    with pytest.raises(ValueError, match="Tried to step"):
        for _ in range(5):
            scheduler.step()
