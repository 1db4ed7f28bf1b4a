"""`torch2ms convert -`: standard input to standard output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from torch2ms.cli.options import configured
from torch2ms.project.discover import Entry, EntryKind, Tree, kind_of
from torch2ms.project.gather import Sources
from torch2ms.project.run import Settings, convert_all
from torch2ms.project.suppress import suppress
from torch2ms.report.text import finding_lines


def convert_stdin(options: dict[str, Any]) -> int:
    """Converts what comes in; findings go to standard error. The exit code."""
    data = sys.stdin.buffer.read()
    config = configured(options, Path("."))
    run = suppress(convert_all(stdin_sources(data, options["stdin_filename"]), Settings(config)), config)
    file = run.files[0]
    sys.stdout.buffer.write(data if file.data is None else file.data)
    sys.stdout.buffer.flush()
    for line in finding_lines(run, options["verbose"]):
        click.echo(line, err=True)
    return 1 if run.attention else 0


def stdin_sources(data: bytes, name: str) -> Sources:
    """One file that exists only as bytes."""
    path = Path(name)
    kind = EntryKind.NOTEBOOK if kind_of(path) is EntryKind.NOTEBOOK else EntryKind.PYTHON
    sources = Sources(Path("."), Tree(Path(".")))
    sources.convert.append(Entry(path, name, kind))
    sources.data[name] = data
    sources.named = frozenset({name})
    return sources
