"""Whether the program holds tensors of 16 bits, and the region of lower precision that is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mindspore

FLOAT32 = mindspore.float32
LOW = frozenset((mindspore.float16, mindspore.bfloat16))


class State:
    """What every lifted function asks.

    awake: a tensor of 16 bits may come in, or a region is open.
    region: the type in which the open region computes, None outside and where a region is disabled.
    """

    __slots__ = ("awake", "region")

    def __init__(self) -> None:
        self.awake = False
        self.region: Any = None


STATE = State()
_woken = False
_at_waking: list[Callable[[], None]] = []


def at_waking(function: Callable[[], None]) -> None:
    """Have `function` called when the first tensor of 16 bits is seen."""
    _at_waking.append(function)


def wake() -> None:
    """Look at the types of tensors from here on."""
    global _woken
    STATE.awake = True
    if not _woken:
        _woken = True
        for function in _at_waking:
            function()


def is_low(x: Any) -> bool:
    """Return whether a tensor holds floats of 16 bits; two bytes are asked for first, which is faster than the type."""
    return x.itemsize == 2 and x.dtype in LOW


@contextmanager
def region(dtype: Any) -> Iterator[None]:
    """Compute in `dtype` inside the context what PyTorch's autocast computes in it; None closes an open region."""
    before = STATE.region
    if dtype is not None:
        wake()
    STATE.region = dtype
    try:
        yield
    finally:
        STATE.region = before


def call_plain(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function whose tensors are cast already: what it calls in turn is not asked again."""
    before, STATE.awake = STATE.awake, False
    try:
        return function(*args, **kwargs)
    finally:
        STATE.awake = before
