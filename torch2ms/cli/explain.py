"""`torch2ms explain`."""

from __future__ import annotations

import sys

import click
from click.shell_completion import CompletionItem

from torch2ms.cli.options import complete_codes
from torch2ms.diagnostics import CODES
from torch2ms.project.errors import UsageProblem, did_you_mean
from torch2ms.report.style import SEVERITY_COLOURS, use_colour

# an API has more names below it than anybody reads
_MOST = 200


def _complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    if not incomplete or incomplete.upper().startswith("T2M"):
        return complete_codes(ctx, parameter, incomplete)
    from torch2ms.rules import INDEX

    return [CompletionItem(name) for name in sorted(INDEX) if name.startswith(incomplete)][:_MOST]


@click.command("explain")
@click.argument("topics", nargs=-1, metavar="[CODE|API]...", shell_complete=_complete)
@click.option("--all", "every", is_flag=True, help="List all codes.")
def command(topics: tuple[str, ...], every: bool) -> None:
    """Explain a code (T2M102) or what becomes of an API (torch.nn.Conv2d).

    Without a topic all codes are listed.
    """
    if every or not topics:
        for row in CODES.values():
            click.echo(f"{_coloured(row.code)}  {row.severity.name.lower():8} {row.title}")
        return
    for topic in topics:
        _explain(topic)


def _explain(topic: str) -> None:
    if topic.upper() in CODES:
        row = CODES[topic.upper()]
        click.echo(f"{_coloured(row.code)} {row.title} ({row.severity.name.lower()})\n\n{row.explanation}")
        return
    if topic.upper().startswith("T2M"):
        raise UsageProblem(
            f"there is no code {topic!r}{did_you_mean(topic.upper(), CODES)}", "torch2ms explain lists them all"
        )
    from torch2ms.report.explain import explain_api, known

    for line in explain_api(topic):
        click.echo(line)
    if not known(topic):
        sys.exit(1)


def _coloured(code: str) -> str:
    return click.style(code, fg=SEVERITY_COLOURS[CODES[code].severity], bold=True) if use_colour() else code
