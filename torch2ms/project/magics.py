"""IPython's magics, shell lines and help lines inside a cell, out of the way of the parser and back again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

# cell magics whose body is Python run in the notebook's own namespace
_PYTHON_BODIES = frozenset("time timeit capture prun".split())
_ASSIGNED = re.compile(r"^(\s*[\w.,\s\[\]'\"]+?=\s*)([%!].*)$")
_LINE = re.compile(r"^(\s*)([%!?].*|[\w.%]+\?\??\s*)$")
_PLACE = re.compile(r"__torch2ms_magic_(\d+)__")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(slots=True)
class Magics:
    """The lines taken out of all cells of a notebook, by number."""

    lines: list[str] = field(default_factory=list)

    def hide(self, text: str) -> str | None:
        """The cell as Python with a name in place of each magic; None for a cell that is no Python (`%%bash`)."""
        lines = text.split("\n")
        first = next((number for number, line in enumerate(lines) if line.strip()), None)
        if first is not None and lines[first].startswith("%%"):
            if lines[first][2:].split(" ")[0].strip() not in _PYTHON_BODIES:
                return None
            lines[first] = self._placeholder(lines[first])
        starts = list(statement_starts(lines))
        return "\n".join(self._hide_line(line) if start else line for line, start in zip(lines, starts))

    def show(self, text: str, change: Callable[[str], str] = lambda line: line) -> str:
        """The cell with its magics back, each through `change`."""
        return _PLACE.sub(lambda match: change(self.lines[int(match[1])]), text)

    def numbers(self, text: str) -> list[int]:
        """The numbers of the magics in a text, in order."""
        return [int(number) for number in _PLACE.findall(text)]

    def _hide_line(self, line: str) -> str:
        if match := _LINE.match(line):
            return match[1] + self._placeholder(match[2])
        if match := _ASSIGNED.match(line):
            return match[1] + self._placeholder(match[2])
        return line

    def _placeholder(self, line: str) -> str:
        self.lines.append(line)
        return f"__torch2ms_magic_{len(self.lines) - 1}__"


def statement_starts(lines: list[str]) -> Iterator[bool]:
    """For each line whether a statement can begin there: outside brackets, strings and continued lines."""
    depth, quote, continued = 0, "", False
    for line in lines:
        yield depth == 0 and not quote and not continued
        shell = depth == 0 and not quote and not continued and line.lstrip()[:1] in ("!", "%", "?")
        continued = False
        if shell:
            continue
        depth, quote = _scan(line, depth, quote)
        continued = line.endswith("\\") and (not quote or len(quote) == 1)


def _scan(line: str, depth: int, quote: str) -> tuple[int, str]:
    """The bracket depth and the open quote after a line."""
    at = 0
    while at < len(line):
        char = line[at]
        if char == "\\":
            at += 2
            continue
        if quote:
            if line.startswith(quote, at):
                at += len(quote)
                quote = ""
                continue
        elif char == "#":
            break
        elif char in "'\"":
            quote = char * 3 if line.startswith(char * 3, at) else char
            at += len(quote)
            continue
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth = max(depth - 1, 0)
        at += 1
    # a one-quote string ends with its line unless the line is continued
    if len(quote) == 1 and not line.endswith("\\"):
        quote = ""
    return depth, quote
