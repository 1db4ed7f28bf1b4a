"""Methods and operators of tensors of 16 bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore import Parameter, Tensor, ops

from .. import _backend
from .._device_target import IS_CPU
from . import state
from .lifting import NAMES, lifted, mapped, widened
from .state import STATE, call_plain, is_low

_OPERATORS = (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ "
    "__rmod__ __pow__ __rpow__ __matmul__ __rmatmul__ __neg__ __abs__ __lt__ __le__ __gt__ __ge__ __eq__ __ne__"
).split()
_MORE = "masked_fill new_full flatten".split()
# their gradients have no kernel, but they share memory where there is none
_VIEWS = "__getitem__ expand expand_as broadcast_to narrow select diagonal unbind".split()
_CASTS = "astype to half bfloat16 type".split()


def _view(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if STATE.awake and is_low(self):
            if _copies(args) or (_backend.is_recording() and _backend.requires_grad(self)):
                result = call_plain(method, (widened(self), *args), kwargs)
                return mapped(result, lambda x: ops.cast(x, self.dtype))
        return method(self, *args, **kwargs)

    return call


def _copies(index: tuple[Any, ...]) -> bool:
    """Whether an index holds tensors or lists, which copy."""
    parts = index[0] if index and isinstance(index[0], tuple) else index
    return any(isinstance(part, (Tensor, list)) for part in parts)


def _write(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def write(self: Tensor, index: Any, value: Any) -> Any:
        if not (STATE.awake and is_low(self)):
            return method(self, index, value)
        wide = ops.cast(self, state.FLOAT32)
        call_plain(method, (wide, index, widened(value) if isinstance(value, Tensor) else value), {})
        self.copy_(ops.cast(wide, self.dtype))
        return None

    return write


def _watched(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that makes tensors, which wakes the layer with the first one of 16 bits."""

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = method(*args, **kwargs)
        if not STATE.awake:
            found = args[0] if made is None else made
            if isinstance(found, Tensor) and is_low(found):
                state.wake()
        return made

    return call


def _replace(kind: type, name: str, wrap: Callable[[Any], Any]) -> None:
    """Wrap a method that the class has of its own, or that Tensor inherits."""
    method = vars(kind).get(name) if kind is Parameter else getattr(kind, name, None)
    if callable(method):
        setattr(kind, name, wrap(method))


def install() -> None:
    """Have the first tensor of 16 bits seen, and the methods that mint has as functions lifted then."""
    if not IS_CPU:
        return
    Tensor.__init__ = _watched(Tensor.__init__)
    Tensor.from_numpy = staticmethod(_watched(Tensor.from_numpy))
    for kind in (Tensor, Parameter):
        for name in filter(vars(kind).__contains__, _CASTS):
            setattr(kind, name, _watched(vars(kind)[name]))
    names = sorted({*NAMES, *_OPERATORS, *_MORE} - set(_VIEWS))

    def lift() -> None:
        for kind in (Parameter, Tensor):
            for name in names:
                _replace(kind, name, functools.partial(lifted, name))
            for name in _VIEWS:
                _replace(kind, name, _view)
            _replace(kind, "__setitem__", _write)

    state.at_waking(lift)
