"""MindSpore's private interfaces, in one place: version checked, each tested at its first use.

Everything else in the runtime uses documented MindSpore only. What is missing or works differently in another MindSpore
raises `BackendError`, which names the interface and the version.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import mindspore
from mindspore import Parameter, Tensor
from mindspore.nn import Cell

SUPPORTED = ((2, 10), (2, 11))


class BackendError(RuntimeError):
    """A private interface of MindSpore is missing or does not behave as in the supported versions."""


def _versions() -> str:
    low, high = (".".join(map(str, v)) for v in SUPPORTED)
    return f"this runtime needs mindspore>={low},<{high}, installed is {mindspore.__version__}"


@functools.cache
def check_version() -> None:
    """Raise BackendError unless the installed MindSpore is a supported one."""
    parts = mindspore.__version__.split(".")
    if not SUPPORTED[0] <= (int(parts[0]), int(parts[1])) < SUPPORTED[1]:
        raise BackendError(_versions())


def _private(what: str, find: Callable[[], Any]) -> Any:
    check_version()
    try:
        return find()
    except (ImportError, AttributeError) as error:
        raise BackendError(f"MindSpore's interface {what} is missing ({error}); {_versions()}") from error


@functools.cache
def executor() -> Any:
    """Return the object that records operations in PyNative mode."""

    def find() -> Any:
        from mindspore.common.api import _pynative_executor as found

        for name in ("grad_flag", "set_grad_flag", "enable_grad", "set_enable_grad", "new_graph", "end_graph"):
            getattr(found, name)
        return found

    return _private("_pynative_executor", find)


# -- grad mode --------------------------------------------------------------------------------------------------------


@contextmanager
def grad_mode(record: bool | None = None, enabled: bool | None = None) -> Any:
    """Set MindSpore's two gradient flags inside the context and restore what they were, also after an exception.

    `record` says whether operations are recorded at all, `enabled` is the switch of no_grad; None leaves one alone.
    """
    ex = executor()
    before = ex.grad_flag(), ex.enable_grad()
    if record is not None:
        ex.set_grad_flag(record)
    if enabled is not None:
        ex.set_enable_grad(enabled)
    try:
        yield
    finally:
        ex.set_grad_flag(before[0])
        ex.set_enable_grad(before[1])


def no_grad() -> AbstractContextManager[None]:
    """Record nothing inside the context."""
    return grad_mode(enabled=False)


# -- gradients --------------------------------------------------------------------------------------------------------


def zero_grad(parameters: Iterable[Parameter], set_to_none: bool = True) -> None:
    """Clear the gradient slots."""
    for p in parameters:
        p._grad = None if set_to_none or p._grad is None else mindspore.ops.zeros_like(p._grad)


# -- modules ----------------------------------------------------------------------------------------------------------


@functools.cache
def _statistics() -> Sequence[tuple[type, tuple[str, ...]]]:
    """Return the layers of MindSpore whose Parameters include what PyTorch registers as buffers."""

    def find() -> Any:
        from mindspore.mint.nn.layer.normalization import _NormBase
        from mindspore.nn.layer.normalization import BatchNorm3d, _BatchNorm

        return (
            (_NormBase, ("running_mean", "running_var", "num_batches_tracked")),
            (_BatchNorm, ("moving_mean", "moving_variance")),
            (BatchNorm3d, ("moving_mean", "moving_variance")),
        )

    return _private("normalization layers", find)


def statistics_names(cell: Cell) -> tuple[str, ...]:
    """Return the names of the cell's Parameters that PyTorch lists as buffers."""
    for kind, names in _statistics():
        if isinstance(cell, kind):
            return names
    return ()


def mark_buffer(tensor: Tensor) -> None:
    """Tell `@mindspore.jit` that the tensor is state, as `register_buffer` does."""
    tensor._is_buffer = True
