"""Carries edits out on the source text: the only room that knows libcst, which takes as long to load as all the rest."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch2ms.emit.emission import Emitted, emit
    from torch2ms.emit.index import EditConflict
    from torch2ms.emit.proof import Unproven
    from torch2ms.emit.sites import JoinError

__all__ = ["EditConflict", "Emitted", "JoinError", "Unproven", "emit"]
_HOMES = {"EditConflict": "index", "Emitted": "emission", "JoinError": "sites", "Unproven": "proof", "emit": "emission"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
