"""Mixed precision: regions of lower precision, and the scaling of losses that keeps small gradients.

https://pytorch.org/docs/stable/amp.html
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import mindspore
from mindspore import Parameter, Tensor, ops

from . import _backend, device
from ._lower.lifting import widened
from ._lower.state import LOW, STATE, region

Gradients = tuple[Tensor | None, ...]

# (for the CPU, enabled, type) of the open regions
_regions: list[tuple[bool, bool, Any]] = []
_warned: set[str] = set()


class autocast:
    """A region, or a function, in which matrix products and convolutions run in a lower precision.

    A region for the CPU has PyTorch's types on the CPU: float32 arithmetic, rounded to `dtype`. A region for an
    accelerator is disabled on the CPU, as in PyTorch, and says so once. `dtype` is that of the region around unless given,
    outside of regions float16 (bfloat16 for `device_type="cpu"`).
    """

    def __init__(
        self, device_type: str = "cuda", dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        self.device_type = device_type
        self.dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.enabled = bool(enabled)
        if device.target() == "CPU" and self.enabled:
            self.enabled = self._works_on_cpu()
        self._contexts: list[AbstractContextManager[Any]] = []

    def _works_on_cpu(self) -> bool:
        if not _is_cpu(self.device_type):
            _warn_once("no accelerator is available: its autocast regions are disabled and compute in float32")
            return False
        if self.dtype not in LOW:
            _warn_once("autocast on the CPU computes in bfloat16 or float16 only: the region is disabled")
            return False
        return True

    def _context(self) -> AbstractContextManager[Any]:
        if device.target() != "CPU":
            return _backend.mixed_precision(self.dtype if self.enabled else mindspore.float32)
        if not _is_cpu(self.device_type):
            return nullcontext()
        if self.enabled:
            _backend.set_aside_compiled(_region_is_open, _say_uncompiled)
        return region(self.dtype if self.enabled else None)

    def __enter__(self) -> autocast:
        context = self._context()
        context.__enter__()
        self._contexts.append(context)
        _regions.append((_is_cpu(self.device_type), self.enabled, self.dtype))
        return self

    def __exit__(self, *exc: Any) -> None:
        _regions.pop()
        self._contexts.pop().__exit__(*exc)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        # a compiled graph would read the text of the function that is wrapped, and leave out the region
        inside.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        del inside.__wrapped__
        return inside


def _is_cpu(device_type: Any) -> bool:
    return str(device_type).lower() == "cpu"


def _default_dtype(device_type: Any) -> Any:
    return mindspore.bfloat16 if _is_cpu(device_type) else mindspore.float16


def _warn_once(text: str) -> None:
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=4)


def _region_is_open() -> bool:
    return STATE.region is not None


def _say_uncompiled() -> None:
    _warn_once("inside of an autocast region on the CPU functions compiled with mindspore.jit run uncompiled")


def _open_region(device_type: Any) -> tuple[bool, Any] | None:
    """Return (enabled, type) of the innermost region for a device; an accelerator has all regions to itself."""
    for for_cpu, enabled, dtype in reversed(_regions):
        if device.target() != "CPU" or for_cpu == _is_cpu(device_type):
            return enabled, dtype
    return None


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Tell whether the present region for the device, an accelerator unless given, asks for a lower precision."""
    found = _open_region(device_type)
    return found is not None and found[0]


def get_autocast_dtype(device_type: str | None = None) -> Any:
    """Return the type of the present region for the device, or the one that its regions have by default."""
    found = _open_region(device_type)
    return _default_dtype(device_type) if found is None else found[1]


class GradScaler:
    """Scales the loss, so that gradients in float16 do not vanish, and skips the steps whose gradients overflow.

    With gradients that are returned: `scaler.scale(loss)` inside the differentiated function, then
    `grads = scaler.unscale(grads)` (where they are clipped or read), `scaler.step(optimizer, grads)`,
    `scaler.update()`. With `.grad` slots: `scaler.unscale_(optimizer)` and `scaler.step(optimizer)` as in PyTorch.
    """

    def __init__(
        self,
        device: Any = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled = enabled
        self._scale = float(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        # whether an overflow was found since the last update: by optimizer, None for gradients without one
        self._found: dict[int | None, bool] = {}
        self._stepped: set[int] = set()

    def scale(self, outputs: Any) -> Any:
        """Return a loss, or each of several, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * Tensor(self._scale, outputs.dtype)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(output) for output in outputs)
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale(self, grads: Gradients, optimizer: Any = None) -> Gradients:
        """Return the gradients divided by the scale, and note whether one of them is not finite."""
        if not self._enabled:
            return grads
        key = None if optimizer is None else id(optimizer)
        if key is not None and key in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if key is not None and key in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        with _backend.grad_mode(False):
            inverse = 1.0 / self._scale
            result = tuple(None if g is None else g * Tensor(inverse, g.dtype) for g in grads)
            self._found[key] = self._found.get(key, False) or not _finite(result)
        return result

    def unscale_(self, optimizer: Any) -> None:
        """Divide the `.grad` slots of the optimizer's parameters by the scale."""
        parameters = _parameters(optimizer)
        grads = self.unscale(tuple(_backend.get_grad(p) for p in parameters), optimizer)
        for parameter, grad in zip(parameters, grads):
            if grad is not None:
                _backend.set_grad(parameter, grad)

    def step(self, optimizer: Any, grads: Gradients | None = None, *args: Any, **kwargs: Any) -> Any:
        """Run the optimizer's step unless a gradient is not finite; unscales first what is not unscaled yet."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs) if grads is None else optimizer(grads, *args, **kwargs)
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if grads is None:
            if id(optimizer) not in self._found:
                self.unscale_(optimizer)
        elif id(optimizer) not in self._found and None not in self._found:
            grads = self.unscale(grads, optimizer)
        self._stepped.add(id(optimizer))
        if self._found.get(id(optimizer), False) or self._found.get(None, False):
            return None
        return optimizer.step(*args, **kwargs) if grads is None else optimizer(grads, *args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Lower the scale after an overflow, raise it after enough steps without one."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._found:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(self._found.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale *= self._growth_factor
                self._growth_tracker = 0
        self._found, self._stepped = {}, set()

    def get_scale(self) -> float:
        """Return the scale, 1 when disabled."""
        return self._scale if self._enabled else 1.0

    def is_enabled(self) -> bool:
        """Tell whether losses are scaled."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """Return the factor that raises the scale."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor that raises the scale."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor that lowers the scale."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor that lowers the scale."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return after how many steps without an overflow the scale is raised."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set after how many steps without an overflow the scale is raised."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """Return the state, as PyTorch saves it; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a saved state."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled GradScaler.")
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]


def _parameters(optimizer: Any) -> list[Parameter]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _finite(grads: Gradients) -> bool:
    checks = [ops.isfinite(widened(grad)).all() for grad in grads if grad is not None]
    return bool(ops.stack(checks).all()) if checks else True
