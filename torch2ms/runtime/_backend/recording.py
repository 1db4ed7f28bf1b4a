"""What MindSpore records for gradients, and when."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mindspore.nn import Cell

from .version import BackendError, private


@functools.cache
def executor() -> Any:
    """Return the object that records operations in PyNative mode."""

    def find() -> Any:
        from mindspore.common.api import _pynative_executor as found

        for name in ("grad_flag", "set_grad_flag", "enable_grad", "set_enable_grad", "new_graph", "end_graph"):
            getattr(found, name)
        return found

    return private("_pynative_executor", find)


_depth = 0  # of nested `recording` contexts
_tape_is_on = False
_NO_GRAPH = "top_cell_"  # in MindSpore's error


def is_recording() -> bool:
    """Return whether operations are recorded for a gradient at this moment."""
    ex = executor()
    return bool(ex.grad_flag() and ex.enable_grad())


def is_nested() -> bool:
    """Return whether a differentiated function is running."""
    return _depth > 0


def is_grad_enabled() -> bool:
    """Return the switch that no_grad turns off."""
    return bool(executor().enable_grad())


def set_grad_enabled(enabled: bool) -> None:
    """Set the switch that no_grad turns off."""
    executor().set_enable_grad(enabled)


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Set the switch of no_grad inside the context."""
    ex = executor()
    before = ex.enable_grad()
    ex.set_enable_grad(enabled)
    try:
        yield
    finally:
        ex.set_enable_grad(before)


def start_recording() -> None:
    """Record from here on, until the end of the program."""
    global _tape_is_on
    _tape_is_on = True
    executor().set_grad_flag(True)


def stop_recording() -> None:
    """Take `start_recording` back."""
    global _tape_is_on
    _tape_is_on = False
    executor().set_grad_flag(False)


def tape_is_on() -> bool:
    """Return whether `start_recording` was called."""
    return _tape_is_on


def may_differentiate_twice() -> bool:
    """Return whether a gradient of a gradient can follow what is computed now."""
    return _depth > 1 or (_tape_is_on and is_recording())


@contextmanager
def recording() -> Iterator[None]:
    """Record inside the context; both of MindSpore's flags are restored to what they were, whatever happens.

    MindSpore's own value_and_grad leaves the first one on after an exception and after a Cell with `bprop`, and from
    then on writes through views are lost without a word.
    """
    global _depth
    ex = executor()
    before = ex.grad_flag(), ex.enable_grad()
    ex.set_grad_flag(True)
    ex.set_enable_grad(True)
    _depth += 1
    try:
        yield
    except RuntimeError as error:
        if _NO_GRAPH in str(error):
            raise BackendError("a Cell with bprop must be derived from the runtime's nn.Cell to be differentiated") from error
        raise
    finally:
        _depth -= 1
        ex.set_grad_flag(before[0])
        ex.set_enable_grad(before[1])


def _open_graph() -> None:
    """Open the graph that a Cell with `bprop` needs to exist, for good.

    MindSpore keeps 12 kB of each graph that is ended and whose gradient `run_backward` takes, and the call that frees
    them throws away compiled functions too. Where no Cell has a `bprop` nothing is opened: MindSpore's own gradient
    functions take an open graph for a sign that they are nested.
    """
    ex = executor()
    before = ex.grad_flag()
    ex.set_grad_flag(True)
    ex.new_graph(_open_graph)
    ex.set_grad_flag(before)


def call_custom_bprop(cell: Cell, output: Any, args: tuple[Any, ...]) -> Any:
    """Tie `output` to `cell.bprop`."""
    ex = executor()
    try:
        return ex.call_custom_bprop(cell, output, *args)
    except RuntimeError as error:
        # no graph yet, or an error while compiling a jitted function has thrown it away
        if _NO_GRAPH not in str(error):
            raise
    _open_graph()
    return ex.call_custom_bprop(cell, output, *args)
