"""Weight averaging: stochastic weight averaging and exponential moving averages.

https://docs.pytorch.org/docs/stable/optim.html#weight-averaging-swa-and-ema
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from mindspore import Tensor, float32, mint

from .. import _backend, nn
from .._lower.assignment import assign
from .lr_scheduler.base import LRScheduler, per_group
from .optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageAll = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the update of an exponential moving average."""
    _check_decay(decay)

    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        keep, take = (Tensor(v, _float_dtype(ema_param)) for v in (decay, 1 - decay))
        return ema_param * keep + current_param * take

    return ema_update


def get_swa_avg_fn() -> Average:
    """Return the update of an equal average."""

    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        count = Tensor(float(num_averaged) + 1, _float_dtype(averaged_param))
        return averaged_param + (current_param - averaged_param) / count

    return swa_update


def _float_dtype(tensor: Tensor) -> Any:
    return tensor.dtype if _backend.is_differentiable(tensor) else float32


def _for_all(update: Average) -> AverageAll:
    def update_all(averaged: Sequence[Tensor], current: Sequence[Tensor], num_averaged: Any) -> None:
        with _backend.grad_mode(False):
            for a, c in zip(averaged, current):
                assign(a, update(a, c, num_averaged).astype(a.dtype))

    return update_all


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageAll:
    """Return the update of exponential moving averages, in place."""
    return _for_all(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> AverageAll:
    """Return the update of equal averages, in place."""
    return _for_all(get_swa_avg_fn())


class AveragedModel(nn.Cell):
    """A copy of a model whose parameters are averages; `module` is the copy."""

    def __init__(
        self,
        model: Any,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageAll | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", Tensor(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Take the present parameters of `model` into the averages."""
        with _backend.grad_mode(False):
            averaged, current = list(self._averaged(self.module)), list(self._averaged(model))
            count = int(self.n_averaged)
            if count == 0:
                for a, c in zip(averaged, current):
                    assign(a, c)
            elif self.multi_avg_fn is not None:
                self.multi_avg_fn(averaged, current, self.n_averaged)
            else:
                _for_all(self.avg_fn or get_swa_avg_fn())(averaged, current, self.n_averaged)
            if not self.use_buffers:
                for a, c in zip(nn.buffers(self.module), nn.buffers(model)):
                    assign(a, c)
            assign(self.n_averaged, self.n_averaged + 1)

    def _averaged(self, model: Any) -> Iterable[Tensor]:
        return chain(nn.parameters(model), nn.buffers(model)) if self.use_buffers else nn.parameters(model)


def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Compute the running statistics of all BatchNorm layers anew, over one pass through the loader."""
    kinds = (mint.nn.BatchNorm1d, mint.nn.BatchNorm2d, mint.nn.BatchNorm3d)
    momenta = {module: module.momentum for module in nn.modules(model) if isinstance(module, kinds)}
    if not momenta:
        return
    was_training = model.training
    model.set_train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    with _backend.grad_mode(False):
        for batch in loader:
            model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.set_train(was_training)


class SWALR(LRScheduler):
    """https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.SWALR.html"""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for group, lr in zip(optimizer.param_groups, per_group("swa_lr", optimizer, swa_lr)):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        values = []
        for group in self.optimizer.param_groups:
            low = group["swa_lr"]
            start = low if before == 1 else (group["lr"] - before * low) / (1 - before)
            values.append(low * now + start * (1 - now))
        return values

    def _share(self, step: int) -> float:
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t
