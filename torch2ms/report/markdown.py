"""A run as Markdown for the comment of a pull request."""

from __future__ import annotations

from torch2ms.diagnostics import Severity
from torch2ms.edits import Provenance
from torch2ms.project.outcome import RunOutcome

_LIMIT = 100
_WORDS = {Severity.ERROR: "**error**", Severity.WARNING: "warning", Severity.NOTE: "note"}


def to_markdown(run: RunOutcome) -> str:
    """A summary line, the findings as a table, the counts below."""
    errors, warnings = run.count(Severity.ERROR), run.count(Severity.WARNING)
    sites = run.totals("sites")
    sure = sites[Provenance.PROVEN.value] + sites[Provenance.ONE_NAME.value]
    lines = [
        "### torch2ms",
        "",
        f"{errors} need attention, {warnings} warnings; {sum(f.changed for f in run.files)} of {len(run.files)} files change.",
        "",
    ]
    shown = [(f, d) for f, d in run.findings() if d.severity is not Severity.NOTE]
    if shown:
        lines += ["| where | code | what | what to do |", "|---|---|---|---|"]
        for file, diagnostic in shown[:_LIMIT]:
            place = run.place(file, diagnostic.span)
            what = f"{_WORDS[diagnostic.severity]}: {_cell(diagnostic.message)}"
            lines.append(f"| `{place}` | {diagnostic.code} | {what} | {_cell(diagnostic.help)} |")
        if len(shown) > _LIMIT:
            lines.append(f"\n{len(shown) - _LIMIT} more findings are not shown.")
        lines.append("")
    guarded, refused = sites[Provenance.GUARDED.value], sites[Provenance.REFUSED.value]
    lines += [
        "| APIs converted | through helpers | refused |",
        "|---|---|---|",
        f"| {sure} | {guarded} | {refused} |",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
