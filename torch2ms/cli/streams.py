"""`-`: standard input as the one file of a run, and standard output as the place of a conversion."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from torch2ms.cli.options import configured
from torch2ms.project.config import Config
from torch2ms.project.discover import Entry, EntryKind, Tree, kind_of
from torch2ms.project.errors import UsageProblem
from torch2ms.project.gather import Sources
from torch2ms.project.outcome import RunOutcome
from torch2ms.project.run import Settings, convert_all
from torch2ms.project.session import Request, run_request
from torch2ms.project.suppress import suppress
from torch2ms.report.text import finding_lines

# options that speak of files on disk
_FILES = ("staged", "since", "baseline", "write_baseline", "add_skips")


def run_stdin(options: dict[str, Any], checking: bool = False) -> tuple[Sources, RunOutcome]:
    """What becomes of the file that comes in."""
    given = next((name for name in _FILES if options.get(name)), None)
    if given is not None:
        raise UsageProblem(f"--{given.replace('_', '-')} needs files; `-` is standard input")
    config = configured(options, Path("."))
    sources = stdin_sources(sys.stdin.buffer.read(), options["stdin_filename"])
    settings = Settings(config, checking=checking, strict=options.get("strict", False))
    return sources, suppress(convert_all(sources, settings), config)


def stdin_sources(data: bytes, name: str) -> Sources:
    """One file that exists only as bytes."""
    path = Path(name)
    kind = kind_of(path)
    kind = kind if kind in (EntryKind.NOTEBOOK, EntryKind.MARKDOWN) else EntryKind.PYTHON
    sources = Sources(Path("."), Tree(Path(".")))
    sources.convert.append(Entry(path, name, kind))
    sources.data[name] = data
    sources.named = frozenset({name})
    return sources


def convert_stdin(options: dict[str, Any]) -> int:
    """Converts what comes in to standard output; the exit code."""
    return _written(*run_stdin(options), options)


def convert_to_stdout(path: Path, config: Config, options: dict[str, Any]) -> int:
    """Converts one file to standard output; the exit code."""
    if path.is_dir():
        raise UsageProblem("`-o -` writes one file to standard output, not a folder", "torch2ms diff shows a whole project")
    request = Request((path,), config, options["jobs"], options["no_cache"], options["markdown"])
    return _written(*run_request(request), options)


def _written(sources: Sources, run: RunOutcome, options: dict[str, Any]) -> int:
    """Writes the one file to standard output and what was found to standard error."""
    entry = next(iter(sources.convert), None)
    file = next((file for file in run.files if entry is not None and file.rel == entry.rel), None)
    if entry is not None and file is not None:
        sys.stdout.buffer.write(sources.data[entry.rel] if file.data is None else file.data)
        sys.stdout.buffer.flush()
    for line in finding_lines(run, options["verbose"]):
        click.echo(line, err=True)
    return 1 if run.attention else 0
