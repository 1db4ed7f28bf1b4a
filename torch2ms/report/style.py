"""Colour where it helps: on a terminal, never in a pipe, never where NO_COLOR is set."""

from __future__ import annotations

import os
import shutil
import sys
from typing import IO, Any

from torch2ms.diagnostics import Severity

SEVERITY_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def use_colour(stream: IO[Any] | None = None) -> bool:
    """Whether to write colours to the stream (default: standard output)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def width(default: int = 100) -> int:
    """The width of the terminal, or a readable one where there is none."""
    return shutil.get_terminal_size((default, 24)).columns
