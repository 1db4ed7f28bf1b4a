"""What became of the files of a run, ready to be written or reported."""

from __future__ import annotations

import bisect
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from torch2ms.diagnostics import Diagnostic, Severity
from torch2ms.edits import Result
from torch2ms.project.discover import EntryKind
from torch2ms.source import Span


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """One file: its path relative to the root, the result, and the bytes to write (None: as they are).

    `cells` holds, for a notebook, the first line of each code cell in the joined text, with the number of the cell.
    """

    rel: str
    kind: EntryKind
    result: Result
    data: bytes | None = None
    cells: tuple[tuple[int, int], ...] = ()
    seconds: float = 0.0
    cached: bool = False

    @property
    def changed(self) -> bool:
        """Whether the file is to be written with other bytes."""
        return self.data is not None

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What there is to say about the file."""
        return self.result.diagnostics

    def cell_line(self, line: int) -> tuple[int, int]:
        """The number of the notebook cell that holds a line of the joined text, and the line in it; (0, line) elsewhere."""
        if not self.cells:
            return 0, line
        at = bisect.bisect_right(self.cells, (line, 1 << 30)) - 1
        first, cell = self.cells[max(at, 0)]
        return cell, line - first + 1

    def saying(self, diagnostics: tuple[Diagnostic, ...]) -> FileOutcome:
        """The same outcome with other diagnostics."""
        return replace(self, result=replace(self.result, diagnostics=diagnostics))


@dataclass(slots=True)
class RunOutcome:
    """All files of a run, in the order of their paths."""

    root: Path
    files: list[FileOutcome] = field(default_factory=list)
    seconds: float = 0.0
    jobs: int = 1

    def shown(self, file: FileOutcome) -> str:
        """The path of a file as the user would type it here, with `/`; `<stdin>` and the like as they are."""
        if file.rel.startswith("<"):
            return file.rel
        path = Path(os.path.abspath(self.root / file.rel))
        here = Path.cwd()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()

    def place(self, file: FileOutcome, span: Span) -> str:
        """`path:line:col`, columns from 1; `path:cell N:line:col` in a notebook."""
        cell, line = file.cell_line(span.line)
        inside = f"cell {cell}:" if cell else ""
        return f"{self.shown(file)}:{inside}{line}:{span.col + 1}"

    def findings(self) -> Iterator[tuple[FileOutcome, Diagnostic]]:
        """Every diagnostic with its file, in order."""
        for file in self.files:
            for diagnostic in sorted(file.diagnostics, key=lambda d: (d.span, d.code, d.message)):
                yield file, diagnostic

    def totals(self, what: str) -> Counter[str]:
        """A count of the files' statistics added up: `sites`, `apis`, `refused` or `loops`."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(getattr(file.result.stats, what))
        return total

    def count(self, severity: Severity) -> int:
        """The number of diagnostics of a severity."""
        return sum(diagnostic.severity is severity for _, diagnostic in self.findings())

    @property
    def attention(self) -> bool:
        """Whether something asks for the user's attention (exit code 1)."""
        return any(diagnostic.severity is Severity.ERROR for _, diagnostic in self.findings())
