"""The lines of a block under construction: comments and blank lines around what was removed, moved or added."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst


def blank(line: cst.EmptyLine) -> bool:
    """Whether a line is empty; one with a form feed counts as text."""
    return line.comment is None and "\f" not in line.whitespace.value


def comment_line(comment: cst.Comment | None) -> cst.EmptyLine:
    """The comment on a line of its own."""
    return cst.EmptyLine(comment=comment)


def merged(first: list[cst.EmptyLine], second: list[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Two runs of comment and blank lines, one after the other, without adding up the blank lines where they meet."""
    ends = _run(reversed(first))
    starts = _run(second)
    return [*first, *second[min(ends, starts):]]


def _run(lines: Iterable[cst.EmptyLine]) -> int:
    count = 0
    for line in lines:
        if not blank(line):
            break
        count += 1
    return count


class Lines:
    """Collects the lines of one block; `top` is a module's, where functions stand two lines apart."""

    def __init__(self, top: bool = False, first_stays: bool = False, fresh: bool = False) -> None:
        self.out: list[Any] = []
        # the rows that are new functions
        self.definitions: list[Any] = []
        self._carry: list[cst.EmptyLine] = []
        self.top = top
        self._gap = 2 if top else 1
        self._after_def = False
        # whether the block is new or lost its first lines, so that blank lines at its top say nothing
        self._cut = fresh
        # at the top of a module the first statement may keep its blank lines
        self._first_stays = first_stays

    @property
    def settled(self) -> bool:
        """Whether the next line can follow as it is: nothing waits for it and no blank lines are owed."""
        return not (self._carry or self._after_def or self._cut and not self.out)

    def push(self, line: Any, definition: bool = False) -> None:
        """A line, after the comments and blank lines that wait for one."""
        lead = merged(self._carry, list(line.leading_lines))
        self._carry = []
        if self.out and (definition or self._after_def):
            lead = [*[cst.EmptyLine(indent=False)] * max(0, self._gap - _run(lead)), *lead]
        elif not self.out and self._cut and not self._first_stays:
            lead = lead[_run(lead):]
        self._after_def = definition
        line = line if lead == list(line.leading_lines) else line.with_changes(leading_lines=lead)
        self.out.append(line)
        if definition:
            self.definitions.append(line)

    def stand_apart(self) -> None:
        """The next line keeps the distance that a function asks for."""
        self._after_def = True

    def carry(self, lines: Iterable[cst.EmptyLine]) -> None:
        """Comment and blank lines that stand before whatever comes next."""
        self._carry = merged(self._carry, list(lines))
        self._cut = True

    def rest(self) -> list[cst.EmptyLine]:
        """The comments after which nothing came."""
        rest, self._carry = self._carry, []
        while rest and blank(rest[-1]):
            rest.pop()
        return rest
