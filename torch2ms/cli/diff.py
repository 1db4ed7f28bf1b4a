"""`torch2ms diff`."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from torch2ms.cli.options import (
    configured,
    conversion_options,
    hook_option,
    off_this_branch,
    paths_argument,
    run_options,
    stdin_option,
)
from torch2ms.cli.progress import bar
from torch2ms.project import git
from torch2ms.project.gather import Sources
from torch2ms.project.outcome import RunOutcome
from torch2ms.project.session import Request, check_paths, run_request
from torch2ms.report.diff import FileDiff
from torch2ms.report.style import use_colour, width


@click.command("diff")
@paths_argument
@click.option("--staged", is_flag=True, help="Only files staged in git.")
@click.option("--since", metavar="REVISION", help="Only files changed since this git revision.")
@click.option("--stat", "show_stat", is_flag=True, help="Only the number of changed lines of each file.")
@click.option("--side-by-side", "-y", is_flag=True, help="Before and after in two columns.")
@click.option("--explain", is_flag=True, help="Say beside each hunk why it changes.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there are differences, as git diff does.")
@conversion_options
@stdin_option
@run_options
@hook_option
def command(paths: tuple[str, ...], **options: Any) -> None:
    """Show what convert would change; nothing is written.

    On a terminal the difference is coloured; piped it is a patch: `torch2ms diff | git apply`.
    Paths in the patch are relative to the current folder.
    """
    if paths == ("-",):
        from torch2ms.cli.streams import run_stdin

        _end(*run_stdin(options), options)
    found = check_paths(paths)
    if options["staged"] or options["since"]:
        found = git.changed_files(found, options["since"])
        if not found:
            return
    config = configured(options, found[0])
    if off_this_branch(options["hook"], config, found[0]):
        return
    with bar("comparing") as shown:
        request = Request(
            found,
            config,
            options["jobs"],
            options["no_cache"],
            options["markdown"],
            hook=options["hook"],
            on_start=shown.start,
            on_done=shown.done,
        )
        sources, run = run_request(request)
    _end(sources, run, options)


def _end(sources: Sources, run: RunOutcome, options: dict[str, Any]) -> NoReturn:
    diffs = [
        (FileDiff(run.shown(file).lstrip("/"), sources.data[file.rel], file.data), file)
        for file in run.files
        if file.data is not None and file.rel in sources.data
    ]
    _print(diffs, run, options)
    sys.exit(1 if options["exit_code"] and diffs else 0)


def _print(diffs: list[Any], run: Any, options: dict[str, Any]) -> None:
    from torch2ms.report import diff as report

    colour = use_colour()
    if options["show_stat"]:
        for line in report.stat([diff for diff, _ in diffs], width(), colour):
            click.echo(line, color=colour)
        return
    for diff, file in diffs:
        encoding = file.result.source.encoding
        if colour or options["side_by_side"]:
            diff = report.readable(diff, file)
        if options["side_by_side"]:
            for line in report.side_by_side(diff, encoding, width(), colour):
                click.echo(line, color=colour)
            continue
        reasons = report.reasons(file, diff) if options["explain"] else {}
        data = report.patch(diff, reasons)
        if colour:
            for line in report.coloured(data, encoding):
                click.echo(line, color=True)
        else:
            sys.stdout.buffer.write(data)
    sys.stdout.flush()
