"""Python fences of Markdown files; they share their names like the cells of a notebook."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.project.cells import Cell, convert_cells
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.text import decode
from torch2ms.source import SourceFile

_OPEN = re.compile(r"^( {0,3})(`{3,}|~{3,})[ \t]*(?:\{\.?)?(python3?|py)\b[^`\n]*\n", re.IGNORECASE)
_ANY_OPEN = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def convert_markdown(rel: str, data: bytes, convert: Callable[[SourceFile], Result]) -> FileOutcome:
    """The outcome of a Markdown file; a fence that is no complete Python stays as it is."""
    source = decode(data, rel)
    if isinstance(source, Diagnostic):
        return FileOutcome(rel, EntryKind.MARKDOWN, Result(SourceFile(rel, ""), "", (source,)))
    lines = source.text.splitlines(keepends=True)
    fences = python_fences(lines)
    cells = [Cell(number, _body(lines, fence)) for number, fence in enumerate(fences, 1)]
    done = convert_cells(rel, cells, convert, syntax_errors=False)
    for (first, last, indent), cell, new in reversed(list(zip(fences, cells, done.texts))):
        if new != cell.text:
            body = (new + "\n").splitlines(keepends=True)
            lines[first:last] = [
                (indent + line if line.strip() else line).replace("\n", source.newline) for line in body
            ]
    text = "".join(lines)
    written = text.encode(source.encoding) if text != source.text else None
    result = replace(done.result, source=replace(done.result.source, encoding=source.encoding, newline=source.newline))
    return FileOutcome(rel, EntryKind.MARKDOWN, result, written, done.places)


def python_fences(lines: list[str]) -> list[tuple[int, int, str]]:
    """(first line, line after the last, indentation) of the body of each Python fence, lines from 0."""
    fences: list[tuple[int, int, str]] = []
    at = 0
    while at < len(lines):
        opening = _ANY_OPEN.match(lines[at])
        if opening is None:
            at += 1
            continue
        python = _OPEN.match(lines[at].replace("\r\n", "\n"))
        end = _closing(lines, at + 1, opening[1])
        if python and end < len(lines):
            fences.append((at + 1, end, python[1]))
        at = end + 1
    return fences


def _closing(lines: list[str], at: int, fence: str) -> int:
    closing = re.compile(rf"^ {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}\s*$")
    while at < len(lines) and not closing.match(lines[at]):
        at += 1
    return at


def _body(lines: list[str], fence: tuple[int, int, str]) -> str:
    first, last, indent = fence
    return "".join(line.removeprefix(indent) for line in lines[first:last]).replace("\r\n", "\n").removesuffix("\n")
