"""Garbage collection kept away from what is not garbage: trees under construction, and what a whole run uses."""
from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """The trees of a file live until it is done; looking for garbage among them costs a third of the time of parsing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def frozen() -> Iterator[None]:
    """What lives now is needed to the end: collections inside do not look through it again and again."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
