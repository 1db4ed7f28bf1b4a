"""The lines of a file, and text put in the place of other text."""

from __future__ import annotations

import io
import re

_INDENT = re.compile(r"[ \t\f]*")
_END = re.compile(r"(\r\n|\n|\r)?\Z")


class SourceLines:
    """The lines of a file as Python counts them, from 1."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="").readlines()
        self.count = len(self._lines)

    def text(self, first: int, last: int) -> str:
        """The text of some lines, both ends included."""
        return "".join(self._lines[first - 1 : last])

    def line(self, number: int) -> str:
        """One line with its end."""
        return self._lines[number - 1]

    def slice(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text between two places (line, column)."""
        if start[0] == end[0]:
            return self._lines[start[0] - 1][start[1] : end[1]]
        first, last = self._lines[start[0] - 1][start[1] :], self._lines[end[0] - 1][: end[1]]
        return "".join([first, *self._lines[start[0] : end[0] - 1], last])

    def replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Puts a text between two places; all lines keep their numbers, also where some become empty."""
        rest = self._lines[end[0] - 1][end[1] :]
        self._lines[start[0] - 1] = self._lines[start[0] - 1][: start[1]] + text + (rest if start[0] == end[0] else "")
        if start[0] != end[0]:
            self._lines[start[0] : end[0]] = [*[""] * (end[0] - start[0] - 1), rest]

    def indentation(self, line: int) -> str:
        """The blanks at the start of a line."""
        match = _INDENT.match(self._lines[line - 1])
        return match[0] if match else ""

    def line_end(self, line: int) -> str:
        """How a line ends; the last one may not end at all."""
        match = _END.search(self._lines[line - 1])
        return match[0] if match else ""

    def commented(self) -> frozenset[int]:
        """The lines that may hold a comment."""
        return frozenset(number for number, line in enumerate(self._lines, 1) if "#" in line)
