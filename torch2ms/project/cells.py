"""Pieces of Python that share their names (notebook cells, fences of a Markdown file) converted as one module."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.project.magics import Magics, torch_in_magics
from torch2ms.source import SourceFile, Span

_MARK = re.compile(r"^__torch2ms_cell_(\d+)__$", re.MULTILINE)
_LOST = "the pieces of the notebook could not be told apart after the conversion; it stays as it was"


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece: its number for people, and its text."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Converted:
    """The new text of each cell (as given where nothing changed), the joined result, and where each cell begins in it."""

    texts: tuple[str, ...]
    result: Result
    places: tuple[tuple[int, int], ...]


def convert_cells(
    path: str,
    cells: Sequence[Cell],
    convert: Callable[[SourceFile], Result],
    change_magic: Callable[[str], str] = lambda line: line,
    syntax_errors: bool = True,
) -> Converted:
    """Converts the cells together; a cell that is no Python stays as it is."""
    magics = Magics()
    hidden: dict[int, str] = {}
    broken: list[tuple[int, Diagnostic]] = []
    for index, cell in enumerate(cells):
        broken += [(index, left) for left in torch_in_magics(cell.text, change_magic)]
        text = magics.hide(cell.text)
        error = _syntax_error(text, cell.number) if text is not None else None
        if text is not None and error is None:
            hidden[index] = text
        elif error is not None and syntax_errors:
            broken.append((index, error))
    joined, places = _join(cells, hidden)
    result = convert(SourceFile(path, joined))
    pieces = _split(result.text, hidden, magics)
    if pieces is None:
        lost = Diagnostic("T2M901", Span(1, 0, 1, 0), _LOST)
        result, pieces = replace(result, text=joined, diagnostics=(lost,)), hidden
    texts = tuple(
        magics.show(pieces[index], change_magic) if index in pieces else cell.text for index, cell in enumerate(cells)
    )
    shown = _with_errors(_shown(result, magics, cells), broken, places, cells)
    return Converted(texts, *shown)


def _syntax_error(text: str, number: int) -> Diagnostic | None:
    try:
        ast.parse(text)
    except SyntaxError as error:
        line = error.lineno or 1
        return Diagnostic("T2M001", Span(line, 0, line, 0), f"cell {number} is not valid Python: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Diagnostic("T2M001", Span(1, 0, 1, 0), f"cell {number} cannot be parsed: {error}")
    return None


def _join(cells: Sequence[Cell], hidden: dict[int, str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    line = 1
    for index, text in hidden.items():
        parts.append(f"__torch2ms_cell_{index}__\n{text}\n")
        places.append((line + 1, cells[index].number))
        line += text.count("\n") + 2
    return "".join(parts), tuple(places)


def _split(text: str, hidden: dict[int, str], magics: Magics) -> dict[int, str] | None:
    """The text of each cell; None where a mark or a magic was lost, doubled or moved to another cell."""
    fields = _MARK.split(text)
    numbers = [int(number) for number in fields[1::2]]
    if numbers != list(hidden):
        return None
    pieces = {}
    for position, (index, body) in enumerate(zip(numbers, fields[2::2])):
        body = _at_top(body.removeprefix("\n").removesuffix("\n"), hidden[index])
        if position == 0 and fields[0].strip():
            body = fields[0].rstrip("\n") + "\n" + body
        if magics.numbers(body) != magics.numbers(hidden[index]):
            return None
        pieces[index] = body
    return pieces


def _at_top(body: str, before: str) -> str:
    """The text of a cell without the blank lines that keep a new definition away from the statement above it."""
    return body if before.startswith("\n") else body.lstrip("\n")


def _shown(result: Result, magics: Magics, cells: Sequence[Cell]) -> Result:
    """The result as people read it: marks as comments, magics as they stand in the notebook."""

    def readable(text: str) -> str:
        return magics.show(_MARK.sub(lambda match: f"# %% cell {cells[int(match[1])].number}", text))

    return replace(result, source=replace(result.source, text=readable(result.source.text)), text=readable(result.text))


def _with_errors(
    result: Result, broken: list[tuple[int, Diagnostic]], places: tuple[tuple[int, int], ...], cells: Sequence[Cell]
) -> tuple[Result, tuple[tuple[int, int], ...]]:
    """Lets the errors of cells that were left out point into lines of their own behind the joined text."""
    last = result.source.text.count("\n") + 2
    diagnostics = list(result.diagnostics)
    for index, error in broken:
        places = (*places, (last, cells[index].number))
        line = last + error.span.line - 1
        diagnostics.append(replace(error, span=Span(line, 0, line, 0)))
        last += cells[index].text.count("\n") + 2
    return replace(result, diagnostics=tuple(diagnostics)), places
