"""Cells whose class looks attributes up elsewhere: `def __getattr__(self, name): return getattr(self.module, name)`.

PyTorch's modules never ask themselves for an attribute that may be missing, so such a method needs no care there.
MindSpore's Cell asks while it is built and while children are registered, before there is an object to delegate to, and
takes what the other object has for its own.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from mindspore.nn import Cell as _Cell

_ASKING = _Cell.__module__


def guard(kind: type[_Cell]) -> None:
    """Let the `__getattr__` that a class of Cells has answer everybody but MindSpore's Cell itself."""
    theirs = kind.__getattr__
    if theirs is _Cell.__getattr__ or hasattr(theirs, "_guards"):
        return

    @functools.wraps(theirs)
    def __getattr__(self: Any, name: str) -> Any:
        if sys._getframe(1).f_globals.get("__name__") == _ASKING:
            return _Cell.__getattr__(self, name)
        return theirs(self, name)

    __getattr__._guards = theirs  # type: ignore[attr-defined]
    kind.__getattr__ = __getattr__
