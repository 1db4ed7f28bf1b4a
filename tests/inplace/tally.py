"""Counts of a sweep: verdicts by mode, refusals by cell, and the table of them for the documentation."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.inplace.judge import FAULTS, Verdict
from tests.inplace.programs import MODES, READS
from tests.inplace.vocabulary import VIEWS, WRITES

DOCUMENT = Path(__file__).parents[2] / "docs" / "inplace.md"
_MARK = "<!-- figures -->"
_SHOWN = {"plain": "Plain code", "gradient": "Inside `value_and_grad`", "tape": "On the tape"}


@dataclass
class Tally:
    """What became of the programs that ran."""

    verdicts: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    ran: Counter[tuple[str, ...]] = field(default_factory=Counter)
    refused: Counter[tuple[str, ...]] = field(default_factory=Counter)
    reads: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def add(self, mode: str, verdict: Verdict, cells: Iterable[Iterable[str]]) -> None:
        """Counts one program."""
        self.verdicts[mode, verdict] += 1
        if verdict is Verdict.INVALID:
            return
        found = [tuple(cell) for cell in cells]
        self.reads.update(found)
        for cell in {cell[:3] for cell in found}:
            self.ran[cell] += 1
            self.refused[cell] += verdict is Verdict.REFUSED

    @property
    def faults(self) -> int:
        """Programs in which the converter was wrong."""
        return sum(n for (_, verdict), n in self.verdicts.items() if verdict in FAULTS)

    def share(self, mode: str) -> float:
        """The share of refusals among the programs of a mode that PyTorch runs."""
        counts = {verdict: n for (of, verdict), n in self.verdicts.items() if of == mode and verdict is not Verdict.INVALID}
        return counts.get(Verdict.REFUSED, 0) / max(1, sum(counts.values()))

    def summary(self) -> list[str]:
        """Lines of a table: verdicts by mode."""
        lines = ["| programs | " + " | ".join(v.value for v in Verdict) + " | refused |", "|---" * (len(Verdict) + 2) + "|"]
        for mode in MODES:
            counts = [str(self.verdicts[mode, verdict]) for verdict in Verdict]
            lines.append(f"| {_SHOWN[mode]} | " + " | ".join(counts) + f" | {self.share(mode):.1%} |")
        return lines

    def fewest(self) -> list[tuple[int, tuple[str, ...]]]:
        """The cells (view, write, mode, read) with the fewest programs that PyTorch runs."""
        cells = itertools.product(VIEWS, WRITES, MODES, READS)
        return sorted((self.reads[cell], cell) for cell in cells)[:5]

    def tables(self) -> list[str]:
        """For each mode, refusals in percent by kind of view (rows) and of write (columns)."""
        lines = []
        for mode in MODES:
            lines += ["", f"### {_SHOWN[mode]}", "", "| view | " + " | ".join(WRITES) + " |", "|---" + "|---:" * len(WRITES) + "|"]
            for view in VIEWS:
                shown = [self._percent((view, write, mode)) for write in WRITES]
                lines.append(f"| {view} | " + " | ".join(shown) + " |")
        return lines

    def _percent(self, cell: tuple[str, ...]) -> str:
        return f"{100 * self.refused[cell] / self.ran[cell]:.0f}" if self.ran[cell] else "-"


def write_document(tally: Tally, path: Path = DOCUMENT) -> None:
    """Puts the figures of a sweep behind the mark in the document."""
    head = path.read_text().partition(_MARK)[0]
    path.write_text(head + "\n".join([_MARK, "", *tally.summary(), *tally.tables()]) + "\n")
