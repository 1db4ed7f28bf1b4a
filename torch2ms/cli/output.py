"""Prints the findings of a run in the format that was asked for."""

from __future__ import annotations

import click

from torch2ms.project.outcome import RunOutcome
from torch2ms.report.style import use_colour
from torch2ms.report.text import finding_lines


def print_findings(run: RunOutcome, output_format: str, verbose: bool, summary: bool) -> None:
    """Findings on standard output; in text form with the summary table below."""
    if output_format == "text":
        colour = use_colour()
        for line in finding_lines(run, verbose, colour):
            click.echo(line, color=colour)
        if summary:
            from torch2ms.report.table import print_summary

            print_summary(run)
        return
    click.echo(rendered(run, output_format))


def rendered(run: RunOutcome, output_format: str) -> str:
    """The findings in a machine-readable format or Markdown."""
    if output_format == "json":
        from torch2ms.report.json_format import to_json

        return to_json(run)
    if output_format == "sarif":
        from torch2ms.report.sarif import to_sarif

        return to_sarif(run)
    if output_format == "github":
        from torch2ms.report.github import workflow_commands

        return "\n".join(workflow_commands(run))
    from torch2ms.report.markdown import to_markdown

    return to_markdown(run)
