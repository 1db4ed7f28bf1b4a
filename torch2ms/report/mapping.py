"""What becomes of the tensors of a file, as a table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from torch2ms.report.style import use_colour, width

_HEADINGS = ("tensor", "becomes", "type", "shape", "")


def print_mapping(rows: Iterable[tuple[str, str, str, str, str]]) -> None:
    """Prints rows of old name, new name, type, shape and note to standard output."""
    colour = use_colour()
    console = Console(width=max(width(), 60), no_color=not colour, highlight=False, force_terminal=colour or None)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in _HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def size_text(count: int) -> str:
    """Bytes as a person reads them."""
    size, units = float(count), ["bytes", "KB", "MB", "GB", "TB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.0f} {units[0]}" if units[0] == "bytes" else f"{size:.1f} {units[0]}"
