"""Compiled functions that read a Parameter or buffer whose place another one takes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .version import private

# of the runtime's optimizers: their parameters are given to them, and stay whatever a module holds
_OWN = ".optim._elementwise."
_replacements = 0


@functools.cache
def _cache() -> Any:
    """Return the names under which MindSpore keeps what it has compiled."""

    def find() -> Any:
        from mindspore.graph.api import ms_compile_cache

        return ms_compile_cache

    return private("ms_compile_cache", find)


def _executor(method: str) -> Any:
    """Return the class that runs compiled functions, of which a method is to be replaced."""

    def find() -> Any:
        from mindspore.graph.api import _JitExecutor

        getattr(_JitExecutor, method)
        return _JitExecutor

    return private(f"_JitExecutor.{method}", find)


@functools.cache
def _count_replacements() -> None:
    """Make the number of replacements part of the names of what is compiled from now on."""
    kind = _executor("_get_generate_name")
    plain = kind._get_generate_name

    @functools.wraps(plain)
    def named(self: Any) -> tuple[str, str]:
        name, shown = plain(self)
        return (name if _OWN in name else f"{name}.{_replacements}"), shown

    kind._get_generate_name = named


def replaced() -> None:
    """Have compiled functions compiled anew at their next call: something that they may read was replaced."""
    global _replacements
    if any(_OWN not in name for name in _cache()):
        _count_replacements()
        _replacements += 1


@functools.cache
def set_aside_compiled(inside: Callable[[], bool], say: Callable[[], None]) -> None:
    """Have compiled functions run as they are written wherever `inside()` holds; `say()` is called each time.

    What is computed there depends on a context that a compiled graph does not know.
    """
    kind = _executor("__call__")
    plain = kind.__call__

    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not inside() or _OWN in f"{self.fn.__module__}.":
            return plain(self, *args, **kwargs)
        say()
        return self.fn(*args, **kwargs)

    kind.__call__ = call
