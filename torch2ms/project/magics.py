"""IPython's magics, shell lines and help lines inside a cell, out of the way of the parser and back again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torch2ms.diagnostics import Diagnostic
from torch2ms.source import Span

# cell magics whose body is Python run in the notebook's own namespace
_PYTHON_BODIES = frozenset("time timeit capture prun".split())
_ASSIGNED = re.compile(r"^(\s*[\w.,\s\[\]'\"]+?=\s*)([%!].*)$")
_LINE = re.compile(r"^(\s*)([%!?].*|[\w.%]+\?\??\s*)$")
_PLACE = re.compile(r"__torch2ms_magic_(\d+)__")
_OPENING, _CLOSING = "([{", ")]}"


# code in a magic, and a launch in a shell line, that need PyTorch
_TORCH = re.compile(r"(?<![\w./-])torch(?:vision|audio)?\.\w")
_LAUNCH = re.compile(r"(?<![\w./-])torchrun\b|-m\s+torch\.")
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+torch(?:vision|audio)?\b", re.MULTILINE)


def torch_in_magics(text: str, change: Callable[[str], str] = lambda line: line) -> Iterator[Diagnostic]:
    """T2M009 at each magic and shell line of a cell that uses PyTorch, as none of them converts."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%") and _cell_magic(lines[first]) not in _PYTHON_BODIES:
        if _IMPORT.search(text) or _LAUNCH.search(text):
            yield _left(first + 1, f"the cell under `{lines[first].strip()}`")
        return
    starts = list(statement_starts(lines))
    for number, (line, start) in enumerate(zip(lines, starts), 1):
        match = (_LINE.match(line) or _ASSIGNED.match(line)) if start else None
        if match is None or "?" in (match[2][0], match[2].rstrip()[-1]):
            continue  # help on a name that is gone says so
        if (_LAUNCH if match[2].startswith("!") else _TORCH).search(change(match[2])):
            yield _left(number, f"`{line.strip()}`")


def _left(line: int, what: str) -> Diagnostic:
    message = f"PyTorch is left: {what} stays as it is"
    return Diagnostic("T2M009", Span(line, 0, line, 0), message, "write it as plain Python, or change it by hand")


def _cell_magic(line: str) -> str:
    return line[2:].split(" ")[0].strip()


@dataclass(slots=True)
class Magics:
    """The lines taken out of all cells of a notebook, by number."""

    lines: list[str] = field(default_factory=list)

    def hide(self, text: str) -> str | None:
        """The cell as Python with a name in place of each magic; None for a cell that is no Python (`%%bash`)."""
        lines = text.split("\n")
        first = next((number for number, line in enumerate(lines) if line.strip()), None)
        if first is not None and lines[first].startswith("%%"):
            if _cell_magic(lines[first]) not in _PYTHON_BODIES:
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
