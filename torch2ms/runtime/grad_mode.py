"""no_grad, enable_grad, set_grad_enabled and inference_mode: contexts and decorators.

They are right in plain code, inside `value_and_grad` and while the tape records.
https://docs.pytorch.org/docs/stable/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any

from . import _backend

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "no_grad", "set_grad_enabled"]


class _GradMode:
    """A context that sets the switch and restores it; around a generator it is set whenever the generator runs."""

    enabled: bool

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(_backend.is_grad_enabled())
        _backend.set_grad_enabled(self.enabled)

    def __exit__(self, *exception: object) -> None:
        _backend.set_grad_enabled(self._before.pop())

    def _again(self) -> _GradMode:
        return type(self)()

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(fn):
            raise TypeError(
                f"{type(self).__name__} decorates functions, not classes: decorate the methods of {fn.__name__}"
            )
        resumed = inspect.isgeneratorfunction(fn)

        @functools.wraps(fn)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if resumed:
                return _Resumed(fn(*args, **kwargs), self._again)
            with self._again():
                return fn(*args, **kwargs)

        return wrapper


class _Resumed(Generator[Any, Any, Any]):
    """A generator that runs in a mode of its own each time it is resumed."""

    def __init__(self, generator: Generator[Any, Any, Any], mode: Callable[[], _GradMode]) -> None:
        self._generator = generator
        self._mode = mode

    def send(self, value: Any) -> Any:
        with self._mode():
            return self._generator.send(value)

    def throw(self, *exception: Any) -> Any:
        with self._mode():
            return self._generator.throw(*exception)


class _PlainGradMode(_GradMode):
    """A context without arguments; the class itself serves as a decorator, too."""

    def __new__(cls, fn: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if fn is None else cls()(fn)

    def __init__(self, fn: None = None) -> None:
        super().__init__()


class no_grad(_PlainGradMode):
    """Compute without recording."""

    enabled = False


class enable_grad(_PlainGradMode):
    """Record again inside a no_grad."""

    enabled = True


class set_grad_enabled(_GradMode):
    """Set the switch at once; as a context, restore it at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.enabled = bool(mode)
        self._at_birth = _backend.is_grad_enabled()
        _backend.set_grad_enabled(self.enabled)

    def __enter__(self) -> None:
        _backend.set_grad_enabled(self.enabled)

    def __exit__(self, *exception: object) -> None:
        _backend.set_grad_enabled(self._at_birth)

    def _again(self) -> _GradMode:
        return set_grad_enabled(self.enabled)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        # as a decorator it acts when the function runs, not before
        _backend.set_grad_enabled(self._at_birth)
        return super().__call__(fn)


class inference_mode(_GradMode):
    """no_grad under the name that PyTorch uses for evaluation; `inference_mode(False)` records."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.enabled = not mode

    def _again(self) -> _GradMode:
        return inference_mode(not self.enabled)


def is_grad_enabled() -> bool:
    """Return False inside no_grad."""
    return _backend.is_grad_enabled()
