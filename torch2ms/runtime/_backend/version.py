"""The MindSpore versions whose private interfaces are known, and the error for all others."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mindspore

SUPPORTED = ((2, 10), (2, 11))


class BackendError(RuntimeError):
    """A private interface of MindSpore is missing or does not behave as in the supported versions."""


def versions() -> str:
    """Return which MindSpore is needed and which is there."""
    low, high = (".".join(map(str, v)) for v in SUPPORTED)
    return f"this runtime needs mindspore>={low},<{high}, installed is {mindspore.__version__}"


@functools.cache
def check_version() -> None:
    """Raise BackendError unless the installed MindSpore is a supported one."""
    parts = mindspore.__version__.split(".")
    if not SUPPORTED[0] <= (int(parts[0]), int(parts[1])) < SUPPORTED[1]:
        raise BackendError(versions())


def private(what: str, find: Callable[[], Any]) -> Any:
    """Return what `find` finds, or raise BackendError with the name of the interface."""
    check_version()
    try:
        return find()
    except (ImportError, AttributeError) as error:
        raise BackendError(f"MindSpore's interface {what} is missing ({error}); {versions()}") from error
