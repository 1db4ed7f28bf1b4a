"""What a structure becomes: one module per transform, found by walking the package."""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Facts
    from torch2ms.diagnostics import Diagnostic
    from torch2ms.edits import Claim

__all__ = ["Transform", "transforms"]


class Transform(Protocol):
    """One structural rewrite. A module of this package offers it as `TRANSFORM`; `after` names those that claim first.

    With an attribute `gives_way` that is true, its claims vanish where an earlier transform holds the node.
    """

    name: str
    after: tuple[str, ...]

    def find(self, facts: Facts) -> Iterator[Claim | Diagnostic]:
        """The places that it rewrites, with the edits, and what there is to say about places that it declines."""
        ...


@cache
def transforms() -> tuple[Transform, ...]:
    """All transforms in the order in which they claim: as `after` says, then by name."""
    found: dict[str, Transform] = {}
    for info in pkgutil.iter_modules(__path__):
        transform = getattr(importlib.import_module(f"{__name__}.{info.name}"), "TRANSFORM", None)
        if transform is not None:
            if transform.name in found:
                raise ValueError(f"two transforms are called {transform.name}")
            found[transform.name] = transform
    ordered: list[Transform] = []
    waiting = [found[name] for name in sorted(found)]
    while waiting:
        ready = next((t for t in waiting if not any(w.name in t.after for w in waiting)), None)
        if ready is None:
            raise ValueError(f"the order of {[t.name for t in waiting]} goes round in a circle")
        waiting.remove(ready)
        ordered.append(ready)
    return tuple(ordered)
