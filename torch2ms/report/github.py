"""Findings as GitHub workflow commands, which show up as annotations in a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from torch2ms.diagnostics import Severity
from torch2ms.project.outcome import RunOutcome

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def workflow_commands(run: RunOutcome) -> Iterator[str]:
    """One line for each finding."""
    for file, diagnostic in run.findings():
        span = diagnostic.span
        cell, line = file.cell_line(span.line)
        # positions inside a notebook mean nothing in its JSON
        place = f",line={line},col={span.col + 1}" if not cell else ""
        end = f",endLine={span.end_line}" if not cell and span.end_line > span.line else ""
        said = f"{f'cell {cell}, line {line}: ' if cell else ''}{diagnostic.message}"
        said += f"\nhelp: {diagnostic.help}" if diagnostic.help else ""
        properties = f"title={_property('torch2ms ' + diagnostic.code)},file={_property(run.shown(file))}{place}{end}"
        yield f"::{_COMMANDS[diagnostic.severity]} {properties}::{_data(said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
