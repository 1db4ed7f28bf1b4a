"""The base class of the schedulers that compute each learning rate from the one before."""

from __future__ import annotations

import types
import warnings
from typing import Any

from mindspore import Tensor, ops

from ... import _backend
from ..optimizer import Optimizer


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError for what is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """Return one value for each parameter group."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {count}."
        )
    return list(value)


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """Return an option of all groups; a tensor as a copy."""
    values = [group[key] for group in optimizer.param_groups]
    return [value.copy() if isinstance(value, Tensor) else value for value in values]


def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group; one that is a tensor keeps its identity."""
    held = group[key]
    if isinstance(held, Tensor):
        with _backend.grad_mode(False):
            ops.assign(held, Tensor(float(value), held.dtype).reshape(held.shape))
    else:
        group[key] = value


class LRScheduler:
    """Base class; a subclass defines `get_lr`, and `_get_closed_form_lr` where there is a formula for any epoch."""

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.copy() if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first"
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        optimizer.watch_steps()
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load what `state_dict` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the learning rates that were set last, one for each group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the learning rates of this epoch."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch, or to `epoch`."""
        if self._step_count == 1 and not self.optimizer.was_stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first value of the learning rate "
                "schedule is skipped.",
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is not None:
            warnings.warn("The epoch parameter in `scheduler.step()` is deprecated.", stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed_form = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
            values = self.get_lr() if closed_form is None else closed_form()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values):
            set_value(group, "lr", lr)
        self._last_lr = values_of(self.optimizer, "lr")

    def _current(self) -> list[Any]:
        return values_of(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The old name of the base class."""


def packed_functions(functions: list[Any]) -> list[Any]:
    """Return the attributes of callable objects; a plain function is not saved."""
    return [None if isinstance(fn, types.FunctionType) else fn.__dict__.copy() for fn in functions]
