"""`Function`: an operation with a forward and a backward of one's own, as in PyTorch.

The way to write one in MindSpore is a Cell with `bprop`. This class is for what `bprop` can not express: a context that
is handed on, gradients that are not wanted, inputs changed in place, and for programs that use the tape. It works in
plain code, inside `value_and_grad` and on the tape, and not under `@mindspore.jit`.
https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.Function
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from mindspore import Tensor

from . import _backend

__all__ = ["Function", "once_differentiable"]

_Base: Any = _backend.function_base()


class Function(_Base):
    """Base class with the static methods `forward(ctx, *args)` and `backward(ctx, *grads)`; use it through `apply`.

    `forward` may leave out `ctx` where there is a `setup_context(ctx, inputs, output)`. The context has
    `save_for_backward`, `saved_tensors`, `needs_input_grad`, `mark_dirty`, `mark_non_differentiable` and
    `set_materialize_grads`. `backward` returns one gradient, or None, for each argument of `forward`.
    """

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradient of each argument of `forward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function"
        )

    def save_for_forward(self, *tensors: Tensor) -> None:
        """Accepted for programs that also have forward-mode gradients; nothing reads it here."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` and tie its results to `backward`."""
        if cls.backward is Function.backward and "vjp" in cls.__dict__:
            cls.backward = cls.vjp  # type: ignore[method-assign]
        return super().apply(*args)

    def __call__(self, *args: Any) -> Any:
        """Apply the function, so that an instance is used like a Cell with `bprop`: `F()(x)` is `F.apply(x)`."""
        if not isinstance(inspect.getattr_static(self, "forward"), staticmethod):
            raise RuntimeError(
                "Legacy autograd function with non-static forward method is deprecated. "
                "Please use new-style autograd function with static forward method."
            )
        return type(self).apply(*args)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` whose result can not be differentiated again; doing so raises."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with _backend.grad_mode(False):
            results = backward(ctx, *grads)
        if isinstance(results, tuple):
            return tuple(refuse_second_derivative(result, *grads) for result in results)
        return refuse_second_derivative(results, *grads)

    return wrapper


def refuse_second_derivative(result: Any, *connected: Any) -> Any:
    """Return the result of a `backward`; where it is differentiated with respect to what it depends on, that raises."""
    wanted = _backend.is_recording() and any(isinstance(t, Tensor) and _backend.requires_grad(t) for t in connected)
    if not wanted or not isinstance(result, Tensor):
        return result
    return _Once.apply(_backend.set_requires_grad(result), *connected)


class _Once(Function):
    """The identity of its first argument, which refuses a gradient of any."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, *connected: Any) -> Tensor:
        return value * 1

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")
