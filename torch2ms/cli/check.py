"""`torch2ms check`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from torch2ms.cli.options import (
    configured,
    format_option,
    hook_option,
    off_this_branch,
    paths_argument,
    run_options,
    stdin_option,
)
from torch2ms.cli.progress import bar
from torch2ms.diagnostics import Severity
from torch2ms.project import git
from torch2ms.project.outcome import RunOutcome
from torch2ms.project.session import Request, check_paths, run_request
from torch2ms.report.text import counted


@click.command("check")
@paths_argument
@click.option("--strict", is_flag=True, help="Fail on warnings too, and count sites that rest on names or helpers.")
@click.option("--staged", is_flag=True, help="Only files staged in git.")
@click.option("--since", metavar="REVISION", help="Only files changed since this git revision.")
@click.option("--markdown", is_flag=True, help="Check Python in Markdown fences too.")
@click.option("--baseline", type=click.Path(), help="Do not report the findings recorded in this file.")
@click.option("--write-baseline", type=click.Path(), help="Record all findings in this file and exit with 0.")
@click.option("--add-skips", is_flag=True, help="Put a `# torch2ms: skip[CODE]` comment on each line with a finding.")
@stdin_option
@run_options
@hook_option
@format_option
@click.option("-v", "--verbose", is_flag=True, help="Print notes too.")
def command(paths: tuple[str, ...], **options: Any) -> None:
    """Fail while PyTorch or an unsupported call is left; nothing is written.

    Lists every import of PyTorch that is still used, every call that raises because its API has no counterpart, and
    what a conversion could not do. Code under a `# torch2ms: skip` comment is left alone.

    Exit codes: 0 nothing is left, 1 something is, 2 wrong use.
    """
    if paths == ("-",):
        from torch2ms.cli.streams import run_stdin

        _end(run_stdin(options, checking=True)[1], options)
    found = check_paths(paths)
    if options["staged"] or options["since"]:
        found = git.changed_files(found, options["since"])
        if not found:
            return
    config = configured(options, found[0])
    if off_this_branch(options["hook"], config, found[0]):
        return
    if options["baseline"] and not options["write_baseline"]:
        config = replace(config, baseline=str(Path(options["baseline"]).resolve()))
    if options["write_baseline"]:
        config = replace(config, baseline="")
    with bar("checking") as shown:
        request = Request(
            found,
            config,
            options["jobs"],
            options["no_cache"],
            options["markdown"],
            hook=options["hook"],
            checking=True,
            strict=options["strict"],
            on_start=shown.start,
            on_done=shown.done,
        )
        sources, run = run_request(request)
    if options["write_baseline"]:
        from torch2ms.project.baseline import write_baseline

        click.echo(
            f"{options['write_baseline']}: {write_baseline(Path(options['write_baseline']), run)} findings recorded"
        )
        return
    if options["add_skips"]:
        from torch2ms.project.deliver import with_skips

        click.echo(f"comments added in {with_skips(sources, run)} files")
        return
    _end(run, options)


def _end(run: RunOutcome, options: dict[str, Any]) -> NoReturn:
    _print(run, options)
    sys.exit(1 if _fails(run, options["strict"]) else 0)


def _fails(run: RunOutcome, strict: bool) -> bool:
    least = Severity.WARNING if strict else Severity.ERROR
    return any(d.severity >= least or strict and d.code == "T2M107" for _, d in run.findings())


def _print(run: RunOutcome, options: dict[str, Any]) -> None:
    from torch2ms.cli.output import print_findings

    print_findings(run, options["output_format"], options["verbose"] or options["strict"], summary=False)
    if options["output_format"] != "text":
        return
    if options["strict"]:
        sites = run.totals("sites")
        click.echo(
            f"sites: {sites['proven']} proven, {sites['one-name']} by a name that only PyTorch has, "
            f"{sites['guarded']} through helpers that ask at run time, {sites['refused']} refused"
        )
    errors, warnings = run.count(Severity.ERROR), run.count(Severity.WARNING)
    if errors or warnings:
        click.echo(f"{errors} need attention, {counted(warnings, 'warning')}")
    else:
        click.echo("no PyTorch left")
