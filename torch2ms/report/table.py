"""The summary of a run as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import click

from torch2ms.diagnostics import Severity
from torch2ms.edits import Provenance
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import RunOutcome
from torch2ms.report.style import use_colour, width

_FORMS = "lifted closure vjp tape manual".split()


def rows(run: RunOutcome) -> Iterator[tuple[str, str]]:
    """The facts of a run, label and value."""
    code = [file for file in run.files if file.kind not in (EntryKind.OTHER, EntryKind.PROJECT)]
    changed = sum(file.changed for file in code)
    others = sum(file.kind is EntryKind.PROJECT and file.changed for file in run.files)
    more = f", {others} of dependencies and launchers" if others else ""
    yield "files", f"{changed} converted, {len(code) - changed} with nothing to convert{more}"
    sites = run.totals("sites")
    sure = sites[Provenance.PROVEN.value] + sites[Provenance.ONE_NAME.value]
    yield (
        "APIs converted",
        f"{sure} ({sites[Provenance.PROVEN.value]} proven, {sites[Provenance.ONE_NAME.value]} one-name)",
    )
    yield "through helpers", str(sites[Provenance.GUARDED.value])
    yield "refused", str(sites[Provenance.REFUSED.value])
    loops = run.totals("loops")
    if loops:
        order = sorted(loops, key=lambda form: (_FORMS.index(form) if form in _FORMS else len(_FORMS), form))
        yield "training steps", ", ".join(f"{loops[form]} {form}" for form in order)
    errors, warnings = run.count(Severity.ERROR), run.count(Severity.WARNING)
    yield "findings", f"{errors} need attention, {warnings} warnings"
    yield (
        "time",
        f"{run.seconds:.1f} s" + (" (from the cache)" if run.files and all(f.cached for f in run.files) else ""),
    )


def print_summary(run: RunOutcome) -> None:
    """Prints the table to standard output."""
    colour = use_colour()
    facts = list(rows(run))
    left = max(len(label) for label, _ in facts) + 2
    for label, value in facts:
        shown = click.style(f"{label:<{left}}", dim=True) if colour else f"{label:<{left}}"
        text = textwrap.fill(value, max(min(width(), 100), left + 20), initial_indent=" " * left, subsequent_indent=" " * left)
        click.echo(shown + text[left:], color=colour)
