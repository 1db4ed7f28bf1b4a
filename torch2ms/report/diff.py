"""Differences as bytes that `git apply` takes, and as columns, statistics and coloured lines for people."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import click

from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome

_CONTEXT = 3
_NO_NEWLINE = b"\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The bytes of one file before and after, under the path that the patch names."""

    path: str
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that change together: where they begin (from 1) and the lines, each with ` `, `-` or `+` before it."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[tuple[str, bytes], ...]

    def header(self, reasons: Mapping[int, list[str]]) -> bytes:
        """The `@@` line; what was said about the hunk's old lines stands behind it, where git keeps a heading."""
        lines = range(self.old_start, self.old_start + self.old_count)
        said = "; ".join(dict.fromkeys(reason for line in lines for reason in reasons.get(line, ())))
        heading = f" {said}".encode() if said else b""
        ranges = _range(self.old_start, self.old_count), _range(self.new_start, self.new_count)
        return b"@@ -%s +%s @@%s\n" % (*ranges, heading)


def _range(start: int, count: int) -> bytes:
    if count == 0:
        start -= 1
    return b"%d" % start if count == 1 else b"%d,%d" % (start, count)


def split_lines(data: bytes) -> list[bytes]:
    """Lines with their ends; only a newline byte ends a line, as git sees it."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def hunks(diff: FileDiff) -> list[Hunk]:
    """The hunks of a file with three lines of context."""
    old, new = split_lines(diff.old), split_lines(diff.new)
    result = []
    for group in _grouped(old, new):
        lines: list[tuple[str, bytes]] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += ((" ", line) for line in old[i1:i2])
                continue
            lines += (("-", line) for line in old[i1:i2])
            lines += (("+", line) for line in new[j1:j2])
        first, last = group[0], group[-1]
        result.append(Hunk(first[1] + 1, last[2] - first[1], first[3] + 1, last[4] - first[3], tuple(lines)))
    return result


def _grouped(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    # difflib needs quadratic time on long files full of equal lines; it sees only what lies between the changes
    start = max(_equal(zip(old, new)) - _CONTEXT, 0)
    rest = min(len(old), len(new)) - start
    end = max(_equal(zip(reversed(old), reversed(new)), rest) - _CONTEXT, 0)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    # where that is long still, a line seen often anchors nothing
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) > 20_000)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        yield [(tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in group]


def _equal(pairs: Iterable[tuple[bytes, bytes]], most: int = sys.maxsize) -> int:
    """How many pairs are equal before the first that is not, at most `most`."""
    count = 0
    for one, other in pairs:
        if count >= most or one != other:
            break
        count += 1
    return count


def readable(diff: FileDiff, file: FileOutcome) -> FileDiff:
    """The difference as people read it: the code of a notebook's cells, not the JSON around it."""
    if file.kind is not EntryKind.NOTEBOOK:
        return diff
    source = file.result.source
    old, new = (text.encode(source.encoding, "replace") for text in (source.text, file.result.text))
    return FileDiff(diff.path, old, new)


def reasons(file: FileOutcome, diff: FileDiff) -> dict[int, list[str]]:
    """Line of the old text -> what was said about it; all at the first hunk where findings count by cells and the text by lines."""
    said: dict[int, list[str]] = {}
    by_cells = bool(file.cells) and diff.old != file.result.source.text.encode(file.result.source.encoding, "replace")
    first = next((hunk.old_start for hunk in hunks(diff)), 1) if by_cells else 0
    for diagnostic in file.diagnostics:
        cell, _ = file.cell_line(diagnostic.span.line)
        place = f"cell {cell}: " if by_cells else ""
        reason = f"{place}{diagnostic.code} {' '.join(diagnostic.message.split())}"
        said.setdefault(first or diagnostic.span.line, []).append(reason)
    return said


def patch(diff: FileDiff, reasons: Mapping[int, list[str]] | None = None) -> bytes:
    """The unified diff of one file, with reasons beside its hunks; empty where nothing changes."""
    found = hunks(diff)
    if not found:
        return b""
    before, after = _quoted("a/" + diff.path), _quoted("b/" + diff.path)
    tab = b"\t" if " " in diff.path and not before.startswith(b'"') else b""
    parts = [b"diff --git %s %s\n" % (before, after), b"--- %s%s\n" % (before, tab), b"+++ %s%s\n" % (after, tab)]
    for hunk in found:
        parts.append(hunk.header(reasons or {}))
        for sign, line in hunk.lines:
            parts.append(sign.encode() + line)
            if not line.endswith(b"\n"):
                parts.append(b"\n" + _NO_NEWLINE)
    return b"".join(parts)


def _quoted(path: str) -> bytes:
    """A path as git writes it: quoted with octal escapes where it holds control, quote or non-ASCII characters."""
    data = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return data
    out = bytearray(b'"')
    for byte in data:
        if byte in b'"\\':
            out += b"\\" + bytes([byte])
        elif 0x20 <= byte < 0x7F:
            out.append(byte)
        else:
            out += b"\\%03o" % byte
    return bytes(out + b'"')


_COLOURS = {"-": "red", "+": "green", "@": "cyan", "d": "white", " ": None}


def coloured(data: bytes, encoding: str) -> Iterator[str]:
    """The lines of a patch with git's colours."""
    for line in split_lines(data):
        text = line.decode(encoding, "replace").rstrip("\r\n")
        bold = text.startswith(("diff ", "--- ", "+++ "))
        yield click.style(text, bold=True) if bold else click.style(text, fg=_COLOURS.get(text[:1]))


def changed_lines(diff: FileDiff) -> tuple[int, int]:
    """The numbers of added and removed lines."""
    lines = [sign for hunk in hunks(diff) for sign, _ in hunk.lines]
    return lines.count("+"), lines.count("-")


def stat(diffs: Sequence[FileDiff], columns: int, colour: bool) -> Iterator[str]:
    """Lines as `git diff --stat` prints them."""
    counts = [(diff.path, *changed_lines(diff)) for diff in diffs]
    if not counts:
        return
    names = max(len(path) for path, _, _ in counts)
    most = max(added + removed for _, added, removed in counts)
    digits = len(str(most))
    room = max(columns - names - digits - 6, 10)
    scale = min(1.0, room / most) if most else 1.0
    for path, added, removed in counts:
        plus = "+" * (max(1, round(added * scale)) if added else 0)
        minus = "-" * (max(1, round(removed * scale)) if removed else 0)
        if colour:
            plus, minus = click.style(plus, fg="green"), click.style(minus, fg="red")
        yield f" {path:<{names}} | {added + removed:>{digits}} {plus}{minus}"
    added, removed = sum(c[1] for c in counts), sum(c[2] for c in counts)
    files = f"{len(counts)} file{'s' * (len(counts) != 1)} changed"
    yield f" {files}, {added} insertion{'s' * (added != 1)}(+), {removed} deletion{'s' * (removed != 1)}(-)"


def side_by_side(diff: FileDiff, encoding: str, columns: int, colour: bool) -> Iterator[str]:
    """Before and after in two columns."""
    half = max((columns - 3) // 2, 20)
    yield click.style(diff.path, bold=True) if colour else diff.path
    for hunk in hunks(diff):
        yield "-" * half + "-+-" + "-" * half
        for left, right in _pairs(hunk):
            rows = zip_longest(_cut(left, half, encoding), _cut(right, half, encoding), fillvalue="")
            same = left == right or not colour
            for before, after in rows:
                one, other = f"{before:<{half}}", f"{after:<{half}}".rstrip()
                yield f"{one if same else _in_colour(one, '-')} | {other if same else _in_colour(other, '+')}".rstrip()


def _pairs(hunk: Hunk) -> Iterator[tuple[bytes | None, bytes | None]]:
    removed: list[bytes] = []
    added: list[bytes] = []
    for sign, line in (*hunk.lines, (" ", b"")):
        if sign == "-":
            removed.append(line)
        elif sign == "+":
            added.append(line)
        else:
            for index in range(max(len(removed), len(added))):
                yield (
                    removed[index] if index < len(removed) else None,
                    added[index] if index < len(added) else None,
                )
            removed, added = [], []
            if line:
                yield line, line


def _cut(line: bytes | None, columns: int, encoding: str) -> list[str]:
    """A line in pieces that fit the column."""
    text = "" if line is None else line.decode(encoding, "replace").rstrip("\r\n").expandtabs(4)
    return [text[start : start + columns] for start in range(0, len(text), columns)] or [""]


def _in_colour(text: str, sign: str) -> str:
    return click.style(text, fg=_COLOURS[sign]) if text.strip() else text
