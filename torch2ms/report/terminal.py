"""The report in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from torch2ms.edits import Provenance
from torch2ms.project.outcome import RunOutcome
from torch2ms.report.coverage import NEEDS_TORCH, Coverage, file_sites
from torch2ms.report.style import use_colour, width

_TOP = 15
_BAR = 30


def print_report(run: RunOutcome, found: Coverage) -> None:
    """Prints coverage, refusals by how often they strike, files, packages and kernels."""
    colour = use_colour()
    console = Console(width=min(width(), 120), no_color=not colour, highlight=False, force_terminal=colour or None)
    _headline(console, found)
    _refusals(console, found)
    _files(console, run)
    _packages(console, found)


def _headline(console: Console, found: Coverage) -> None:
    sites = found.sites
    console.print(
        f"[bold]{found.converted} of {found.total} uses of PyTorch convert ({found.share(found.converted):.1%})[/]"
    )
    rows = (
        ("proven", Provenance.PROVEN, "green"),
        ("by a name only PyTorch has", Provenance.ONE_NAME, "cyan"),
        ("through helpers that ask at run time", Provenance.GUARDED, "yellow"),
        ("refused", Provenance.REFUSED, "red"),
    )
    table = Table.grid(padding=(0, 2))
    for label, provenance, style in rows:
        number = sites[provenance.value]
        blocks = round(found.share(number) * _BAR) if found.total else 0
        table.add_row(label, f"{number:>6}", f"[{style}]{'█' * blocks}[/]")
    console.print(table)
    console.print(f"compared with PyTorch's values on its own samples: the APIs of {found.compared_uses} converted uses")
    if found.loops:
        forms = ", ".join(f"{number} {form}" for form, number in found.loops.most_common())
        console.print(f"training steps: {forms}")


def _refusals(console: Console, found: Coverage) -> None:
    if not found.refusals:
        console.print("\nnothing needs attention")
        return
    console.print("\n[bold]needs attention, most frequent first[/]")
    for refusal in found.refusals[:_TOP]:
        head = Table.grid(padding=(0, 1, 0, 0))
        head.add_row(f"{len(refusal.places):>5} x [red]{refusal.code}[/]", escape(refusal.message))
        console.print(head)
        if refusal.help:
            _indented(console, f"[green]help:[/] {escape(refusal.help)}")
        places = ", ".join(refusal.places[:3])
        _indented(console, f"[dim]{escape(places)}{' ...' if len(refusal.places) > 3 else ''}[/]")
    if len(found.refusals) > _TOP:
        console.print(f"      and {len(found.refusals) - _TOP} more kinds; --html shows them all")


def _indented(console: Console, markup: str, by: int = 8) -> None:
    """Prints a text whose every line begins below the text of the finding."""
    console.print(Padding(markup, (0, 0, 0, by), expand=False))


def _files(console: Console, run: RunOutcome) -> None:
    files = [(run.shown(file), *file_sites(file)) for file in run.files]
    files = sorted((row for row in files if sum(row[1:])), key=lambda row: (-row[3], -row[2], row[0]))
    if not files:
        return
    console.print()
    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("file", "converted", "helpers", "refused"):
        table.add_column(title, justify="left" if title == "file" else "right", overflow="fold")
    for path, sure, guarded, refused in files[:_TOP]:
        table.add_row(escape(path), str(sure), str(guarded), f"[red]{refused}[/]" if refused else "0")
    console.print(table)
    if len(files) > _TOP:
        console.print(f"and {len(files) - _TOP} more files")


def _packages(console: Console, found: Coverage) -> None:
    if found.packages:
        console.print("\n[bold]other packages[/]")
        for package, number in found.packages.most_common():
            if package in NEEDS_TORCH:
                console.print(f"{number:>5} files  {package}  [yellow]works on PyTorch objects[/]")
        rest = [package for package, _ in found.packages.most_common() if package not in NEEDS_TORCH]
        if rest:
            _indented(console, escape(", ".join(rest)), 7)
    if found.kernels:
        more = f" and {len(found.kernels) - _TOP} more" if len(found.kernels) > _TOP else ""
        console.print("\n[bold]custom kernels[/] to be written anew")
        _indented(console, escape(", ".join(found.kernels[:_TOP])) + more, 7)
