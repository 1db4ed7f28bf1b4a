"""`torch2ms convert`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from torch2ms.cli.options import (
    configured,
    conversion_options,
    format_option,
    hook_option,
    off_this_branch,
    paths_argument,
    run_options,
    stdin_option,
)
from torch2ms.cli.output import print_findings
from torch2ms.cli.progress import bar
from torch2ms.project import deliver
from torch2ms.project.config import Config
from torch2ms.project.errors import UsageProblem
from torch2ms.project.session import Request, check_paths, run_request
from torch2ms.report.text import counted


@click.command("convert")
@paths_argument
@click.option("-o", "--output", type=click.Path(allow_dash=True), help="Write here (default: PROJECT_ms beside PROJECT).")
@click.option("--in-place", is_flag=True, help="Write the converted files back where they are.")
@click.option("--backup", is_flag=True, help="With --in-place: keep the old files for `torch2ms undo`.")
@click.option("--force", is_flag=True, help="Overwrite files that torch2ms did not write.")
@click.option("--watch", is_flag=True, help="Convert again whenever a file changes, until Ctrl-C.")
@stdin_option
@conversion_options
@run_options
@hook_option
@format_option
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("-v", "--verbose", is_flag=True, help="Print notes too.")
def command(paths: tuple[str, ...], **options: Any) -> None:
    """Convert a project, a folder or files to MindSpore.

    Without -o or --in-place, `convert ./project` writes ./project_ms beside it, complete: files with nothing to
    convert are copied. Files that torch2ms did not write are never overwritten without --force.
    `-` converts standard input to standard output; `-o -` writes one file there.

    Exit codes: 0 clean, 1 something needs attention, 2 wrong use.
    """
    if paths == ("-",):
        from torch2ms.cli.streams import convert_stdin

        sys.exit(convert_stdin(options))
    found = check_paths(paths)
    _check_use(found, options)
    config = configured(options, found[0])
    if off_this_branch(options["hook"], config, found[0]):
        return
    if options["output"] == "-":
        from torch2ms.cli.streams import convert_to_stdout

        sys.exit(convert_to_stdout(found[0], config, options))
    if options["watch"]:
        from torch2ms.cli.watch import watch

        watch(lambda: _once(found, config, options), found)
    sys.exit(_once(found, config, options))


def _check_use(paths: tuple[Path, ...], options: dict[str, Any]) -> None:
    if options["in_place"] and options["output"]:
        raise UsageProblem("--output and --in-place exclude each other")
    if options["in_place"] and options["vendor_runtime"]:
        raise UsageProblem("--vendor-runtime needs an output folder", "use -o instead of --in-place")
    if options["backup"] and not options["in_place"]:
        raise UsageProblem("--backup goes with --in-place", "an output folder leaves the input as it is anyway")
    if len(paths) > 1 and not options["in_place"]:
        raise UsageProblem("several paths need --in-place", "or convert the folder that holds them")


def _once(paths: tuple[Path, ...], config: Config, options: dict[str, Any]) -> int:
    output = _output(paths[0], options)
    with bar("converting") as shown:
        request = Request(
            paths,
            config,
            options["jobs"],
            options["no_cache"],
            options["markdown"],
            hook=options["hook"],
            in_place=options["in_place"],
            leave_out=(output.resolve(),) if output else (),
            on_start=shown.start,
            on_done=shown.done,
        )
        sources, run = run_request(request)
    if not sources.convert and not sources.problems:
        raise UsageProblem(f"there is no Python file under {paths[0]}")
    if options["in_place"]:
        delivery = deliver.in_place(sources, run, options["backup"])
    elif paths[0].is_dir():
        assert output is not None
        delivery = deliver.to_folder(sources, run, output, force=options["force"], vendored=config.vendored)
    else:
        assert output is not None
        delivery = deliver.to_file(run, paths[0], output, options["force"])
    for rel, reason in delivery.failures:
        click.echo(f"error: {rel}: {reason}", err=True)
    print_findings(run, options["output_format"], options["verbose"], summary=not options["quiet"])
    if not options["quiet"] and options["output_format"] == "text":
        click.echo(_said(delivery, options, paths[0]))
    return 1 if run.attention or delivery.failures else 0


def _output(path: Path, options: dict[str, Any]) -> Path | None:
    if options["in_place"]:
        return None
    output = Path(options["output"]) if options["output"] else deliver.default_output(path)
    deliver.check_output(path, output)
    return output


def _said(delivery: deliver.Delivery, options: dict[str, Any], path: Path) -> str:
    if options["in_place"]:
        undo = f"; `torch2ms undo {path}` brings the old ones back" if options["backup"] and delivery.written else ""
        return f"changed {counted(delivery.written, 'file')} in place{undo}"
    place = delivery.place
    shown = place.relative_to(Path.cwd()) if place.is_absolute() and place.is_relative_to(Path.cwd()) else place
    parts = [f"{counted(delivery.written, 'file')} written"]
    if delivery.kept:
        parts.append(f"{delivery.kept} already up to date")
    if delivery.removed:
        parts.append(f"{delivery.removed} no longer needed and removed")
    return f"{shown}: {', '.join(parts)}"
