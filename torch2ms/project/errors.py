"""Wrong use of the tool: a message and a way out, for exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageProblem(Exception):
    """The command cannot be carried out as given; nothing was written."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def reason(error: OSError) -> str:
    """The operating system's words for an error, without the path that is shown anyway."""
    return (error.strerror or str(error)).lower()
