"""`torch2ms undo`."""

from __future__ import annotations

from pathlib import Path

import click

from torch2ms.project import inplace
from torch2ms.project.session import check_paths
from torch2ms.report.text import counted


@click.command("undo")
@click.argument("path", default=".", type=click.Path())
@click.option("--force", is_flag=True, help="Bring back files that were changed since, too.")
def command(path: str, force: bool) -> None:
    """Bring back the files of the last `convert --in-place --backup` at or above PATH."""
    start = check_paths((path,))[0].resolve()
    folders = [start, *start.parents] if start.is_dir() else list(start.parents)
    root = next((folder for folder in folders if (folder / inplace.STATE / "backup").is_dir()), Path(path))
    click.echo(f"{counted(inplace.undo(root, force), 'file')} brought back")
