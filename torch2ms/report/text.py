"""Findings as lines: `path:line:col CODE message`, with what to do about it below."""

from __future__ import annotations

from collections.abc import Iterator

import click

from torch2ms.diagnostics import Diagnostic, Severity
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.report.style import SEVERITY_COLOURS


def finding_lines(run: RunOutcome, verbose: bool = False, colour: bool = False) -> Iterator[str]:
    """The lines of all findings; notes only where verbose."""
    for file, diagnostic in run.findings():
        if verbose or diagnostic.severity is not Severity.NOTE:
            yield from _lines(run, file, diagnostic, colour)


def _lines(run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic, colour: bool) -> Iterator[str]:
    place = run.place(file, diagnostic.span)
    if not colour:
        yield f"{place} {diagnostic.code} {diagnostic.message}"
        if diagnostic.help:
            yield f"  help: {diagnostic.help}"
        return
    code = click.style(diagnostic.code, fg=SEVERITY_COLOURS[diagnostic.severity], bold=True)
    yield f"{click.style(place, bold=True)} {code} {diagnostic.message}"
    if diagnostic.help:
        yield click.style("  help: ", fg="green") + diagnostic.help


def counted(number: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
