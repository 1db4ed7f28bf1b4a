"""Which names one module hands on to another."""

from __future__ import annotations

import types
import typing


def public(module: typing.Any) -> dict[str, typing.Any]:
    """Return the public functions and classes of `module`."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and not isinstance(value, types.ModuleType)
    }
