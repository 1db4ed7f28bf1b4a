"""Gradient scaling beside PyTorch's, and autocast regions."""

from __future__ import annotations

import warnings
from typing import Any

import mindspore
import numpy as np
import pytest
import torch
from mindspore import Parameter, Tensor

from torch2ms.runtime import _backend, amp, value_and_grad


class Steps:
    """An optimizer that counts its steps and remembers the gradients."""

    def __init__(self) -> None:
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        self.param_groups: list[dict[str, Any]] = [{"params": [self.weight]}]
        self.seen: list[list[float]] = []

    def __call__(self, grads: Any) -> str:
        self.seen.append(grads[0].asnumpy().tolist())
        return "stepped"

    def step(self) -> str:
        self.seen.append(_backend.get_grad(self.weight).asnumpy().tolist())
        return "stepped"


GRADIENTS = [1.0, 1.0, 1.0, float("inf"), 1.0, 1.0, 1.0, 1.0, float("nan"), 1.0]


@pytest.mark.parametrize("slots", [False, True], ids=["returned", "slots"])
@pytest.mark.parametrize("unscaled_first", [False, True])
def test_scale_and_skipped_steps(slots: bool, unscaled_first: bool) -> None:
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    stepped: list[list[float]] = []

    class Recording(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            stepped.append(weight.grad.tolist())

    theirs = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
    optimizer, ours = Recording([weight], 0.0), Steps()
    scaler = amp.GradScaler(init_scale=1024.0, growth_interval=3)
    for value in GRADIENTS:
        theirs.scale(torch.tensor(1.0))
        weight.grad = torch.tensor([value, 0.5]) * theirs.get_scale()
        grads: Any = (Tensor([value, 0.5]) * scaler.get_scale(),)
        if slots:
            _backend.set_grad(ours.weight, grads[0])
        if unscaled_first:
            theirs.unscale_(optimizer)
            if slots:
                scaler.unscale_(ours)
            else:
                grads = scaler.unscale(grads)
        theirs.step(optimizer)
        scaler.step(ours) if slots else scaler.step(ours, grads)
        theirs.update()
        scaler.update()
        assert scaler.get_scale() == theirs.get_scale()
    assert ours.seen == stepped == [[1.0, 0.5]] * 8
    assert scaler.state_dict() == theirs.state_dict()


def test_scaled_losses_give_the_same_gradient() -> None:
    scaler = amp.GradScaler(init_scale=8.0)

    def loss(x: Tensor) -> tuple[Tensor, Tensor]:
        value = (x * x).sum()
        return scaler.scale(value), value

    (scaled, value), grad = value_and_grad(loss, 0, has_aux=True)(Tensor([1.0, 2.0]))
    assert float(scaled) == 8 * float(value)
    (unscaled, nothing) = scaler.unscale((grad, None))
    assert unscaled.asnumpy().tolist() == [2.0, 4.0] and nothing is None
    assert scaler.scale([Tensor(1.0), (Tensor(2.0),)])[1][0].asnumpy() == 16.0
    with pytest.raises(ValueError):
        scaler.scale(3)


def test_a_disabled_scaler_does_nothing() -> None:
    scaler, optimizer = amp.GradScaler(enabled=False), Steps()
    loss = Tensor(2.0)
    assert scaler.scale(loss) is loss and scaler.get_scale() == 1.0 and not scaler.is_enabled()
    assert scaler.step(optimizer, (Tensor([1.0]),)) == "stepped"
    scaler.update()
    assert scaler.state_dict() == {}
    scaler.load_state_dict({})


def test_wrong_order_of_calls() -> None:
    scaler, optimizer = amp.GradScaler(), Steps()
    with pytest.raises(AssertionError, match="No inf checks"):
        scaler.update()
    _backend.set_grad(optimizer.weight, Tensor([1.0, 1.0]))
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="after step"):
        scaler.unscale_(optimizer)
    for options in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
        with pytest.raises(AssertionError):
            amp.GradScaler(**options)


def test_states_of_scalers() -> None:
    theirs = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=7)
    theirs.scale(torch.tensor(1.0))
    scaler = amp.GradScaler()
    scaler.load_state_dict(theirs.state_dict())
    assert scaler.get_scale() == 4.0 and scaler.get_growth_interval() == 7
    scaler.update(2.0)
    assert scaler.get_scale() == 2.0
    scaler.set_growth_factor(3.0)
    scaler.set_backoff_factor(0.1)
    scaler.set_growth_interval(5)
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()) == (3.0, 0.1, 5)
    with pytest.raises(RuntimeError, match="empty"):
        scaler.load_state_dict({})


def test_questions_about_regions_have_pytorchs_answers() -> None:
    def answers(framework: Any, enabled: Any, dtype: Any) -> list[Any]:
        found: list[Any] = []

        def ask() -> None:
            found.append([enabled(*device) for device in ((), ("cpu",), ("cuda",))])
            found.append([str(dtype(device)).rpartition(".")[2].lower() for device in ("cpu", "cuda")])

        ask()
        with framework.autocast("cuda"):
            ask()
        with framework.autocast("cpu", dtype=(torch if framework is torch else mindspore).float16):
            ask()
            with framework.autocast("cuda", dtype=(torch if framework is torch else mindspore).bfloat16):
                ask()
            with framework.autocast("cpu", enabled=False):
                ask()
        with framework.autocast("cpu", dtype=(torch if framework is torch else mindspore).float32):
            ask()
        ask()
        return found

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = answers(torch, torch.is_autocast_enabled, torch.get_autocast_dtype)
        assert answers(amp, amp.is_autocast_enabled, amp.get_autocast_dtype) == expected


def test_regions_as_decorators_and_after_an_error() -> None:
    @amp.autocast("cpu")
    def inside(x: Tensor, *, scale: float = 1.0) -> Any:
        """A documented function."""
        return amp.is_autocast_enabled("cpu"), x * scale

    assert inside(Tensor([1.0]), scale=2.0)[0] and inside.__name__ == "inside" and inside.__doc__
    with pytest.raises(KeyError), amp.autocast("cpu"):
        raise KeyError
    assert not amp.is_autocast_enabled("cpu")


def test_a_region_for_an_accelerator_is_disabled_and_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amp, "_warned", set())
    x = Tensor(np.ones((2, 2), np.float32))
    with pytest.warns(RuntimeWarning, match="no accelerator"), amp.autocast("cuda"):
        assert (x @ x).dtype == mindspore.float32
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with amp.autocast("cuda"):
            pass


def test_the_accelerators_region_casts_matrix_products() -> None:
    x = Tensor(np.ones((2, 2), np.float32))
    with _backend.mixed_precision(mindspore.float16):
        assert mindspore.ops.matmul(x, x).dtype == mindspore.float16
    assert mindspore.ops.matmul(x, x).dtype == mindspore.float32
