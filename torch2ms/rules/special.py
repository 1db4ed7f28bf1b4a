"""The registry of functions for what a row cannot say."""
from __future__ import annotations

from collections.abc import Callable

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Edit
from torch2ms.rules.site import Outcome, Site

Answer = Outcome | Edit | Diagnostic
Rewrite = Callable[[Site], Answer]

REWRITES: dict[str, Rewrite] = {}
# names that transforms convert: what reaches the rules is refused
TRANSFORMED: set[str] = set()


def rewrite(*names: str, transformed: bool = False) -> Callable[[Rewrite], Rewrite]:
    """Registers a function as the rule for the given canonical names; a second rule for a name is an error.

    `transformed`: a transform converts these; the rule is for what it had to leave.
    """

    def register(function: Rewrite) -> Rewrite:
        for name in names:
            if name in REWRITES:
                raise ValueError(f"two rules for {name}")
            REWRITES[name] = function
        if transformed:
            TRANSFORMED.update(names)
        return function

    return register
