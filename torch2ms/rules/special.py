"""The registry of functions for what a row cannot say."""
from __future__ import annotations

from collections.abc import Callable

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Edit
from torch2ms.rules.site import Outcome, Site

Answer = Outcome | Edit | Diagnostic
Rewrite = Callable[[Site], Answer]

REWRITES: dict[str, Rewrite] = {}


def rewrite(*names: str) -> Callable[[Rewrite], Rewrite]:
    """Registers a function as the rule for the given canonical names; a second rule for a name is an error."""

    def register(function: Rewrite) -> Rewrite:
        for name in names:
            if name in REWRITES:
                raise ValueError(f"two rules for {name}")
            REWRITES[name] = function
        return function

    return register
