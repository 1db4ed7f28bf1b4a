"""`torch2ms report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from torch2ms.cli.options import FORMATS, configured, conversion_options, paths_argument, run_options
from torch2ms.cli.progress import bar
from torch2ms.project.session import Request, check_paths, run_request


@click.command("report")
@paths_argument
@click.option("--html", "html", type=click.Path(), help="Write a self-contained HTML page here.")
@click.option("--format", "output_format", type=click.Choice(FORMATS), default="text", show_default=True)
@conversion_options
@run_options
def command(paths: tuple[str, ...], **options: Any) -> None:
    """Show how much of a project converts, and what is left to do; nothing is converted.

    Coverage by API and file, what is refused with advice, most frequent first, training steps by form, packages that
    work on PyTorch objects, custom kernels. The page of --html also shows every change with the reasons beside it.
    """
    found = check_paths(paths)
    config = configured(options, found[0])
    with bar("reading") as shown:
        request = Request(
            found,
            config,
            options["jobs"],
            options["no_cache"],
            options["markdown"],
            on_start=shown.start,
            on_done=shown.done,
        )
        sources, run = run_request(request)
    if options["output_format"] != "text":
        from torch2ms.cli.output import rendered

        click.echo(rendered(run, options["output_format"]))
        sys.exit(0)
    from torch2ms.report.coverage import coverage

    counted = coverage(run, sources)
    if options["html"]:
        from torch2ms.report.html import page

        target = Path(options["html"])
        title = found[0].resolve().name if len(found) == 1 else ", ".join(map(str, found))
        target.write_text(page(run, counted, title), encoding="utf-8")
        click.echo(f"{target} written")
        return
    from torch2ms.report.terminal import print_report

    print_report(run, counted)
