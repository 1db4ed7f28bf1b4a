"""Brings the dependency files and launch scripts of a project in line with its converted code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.project.config import Config
from torch2ms.project.discover import Entry, EntryKind
from torch2ms.project.gather import Sources
from torch2ms.project.manifests import changer
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.project.requirements import Wanted
from torch2ms.project.text import decode
from torch2ms.source import SourceFile, Span

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+torch(?:vision|audio)?\b", re.MULTILINE)
_LAUNCHER = re.compile(r"^(?!\s*#).*(?<![\w./-])(?:torchrun|torch\.distributed\.(?:launch|run))\b", re.MULTILINE)
_IMAGE = re.compile(r"^FROM\s+(\S*pytorch\S*)", re.MULTILINE | re.IGNORECASE)
# larger files are no dependency files, whatever their name
_LARGEST = 1_000_000


def change_dependencies(sources: Sources, run: RunOutcome, config: Config, checking: bool = False) -> None:
    """Adds the changed dependency files to the run; nothing where no code was converted. `checking`: they are what is left."""
    if not any(file.changed for file in run.files):
        return
    keeps = any(_IMPORT.search(file.result.text) for file in run.files) or _others_import(sources)
    wanted = Wanted("" if config.vendored else "torch2ms", keeps)
    known = {file.rel: number for number, file in enumerate(run.files)}
    for entry in sources.tree.entries:
        change = changer(entry.rel) if entry.kind is not EntryKind.LINK else None
        if change is None:
            continue
        before = run.files[known[entry.rel]] if entry.rel in known else _read(entry, sources)
        if before is None:
            continue
        text = change(before.result.text, wanted)
        outcome = _outcome(before, text, entry, checking)
        if entry.rel in known:
            run.files[known[entry.rel]] = outcome
        elif outcome.changed or outcome.diagnostics:
            run.files.append(outcome)
    run.files.sort(key=lambda file: file.rel)


def _others_import(sources: Sources) -> bool:
    """Whether a Python file that the configuration excludes uses PyTorch."""
    excluded = (e for e in sources.tree.of(EntryKind.OTHER) if e.path.suffix == ".py")
    return any(_IMPORT.search(text) for text in map(_text, excluded) if text)


def _text(entry: Entry) -> str:
    try:
        return entry.path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def _read(entry: Entry, sources: Sources) -> FileOutcome | None:
    try:
        if entry.path.stat().st_size > _LARGEST:
            return None
        data = entry.path.read_bytes()
    except OSError:
        return None
    source = decode(data, entry.rel)
    if not isinstance(source, SourceFile):
        return None
    sources.data[entry.rel] = data
    return FileOutcome(entry.rel, EntryKind.PROJECT, Result(source, source.text))


def _outcome(before: FileOutcome, text: str, entry: Entry, checking: bool) -> FileOutcome:
    source = before.result.source
    said = [*before.diagnostics]
    if text != before.result.text:
        place = _first_change(source.text, text)
        said.append(
            Diagnostic("T2M009", place, "PyTorch is left: it is named here", "it changes along with the code")
            if checking
            else Diagnostic("T2M011", place, "changed along with the code")
        )
    if entry.kind is not EntryKind.PYTHON:
        said += _left(text)
    data = text.encode(source.encoding) if text != source.text else None
    return replace(before, result=replace(before.result, text=text, diagnostics=tuple(said)), data=data)


def _first_change(old: str, new: str) -> Span:
    lines = new.splitlines()
    for number, line in enumerate(old.splitlines(), 1):
        if number > len(lines) or lines[number - 1] != line:
            return Span(number, 0, number, len(line))
    return Span(1, 0, 1, 0)


def _left(text: str) -> Iterator[Diagnostic]:
    for match in _LAUNCHER.finditer(text):
        span = _span(text, match.start())
        yield Diagnostic(
            "T2M503", span, "this PyTorch launcher cannot be converted as it is called", "start the script with msrun"
        )
    for match in _IMAGE.finditer(text):
        yield Diagnostic(
            "T2M403",
            _span(text, match.start()),
            f"the image {match[1]} brings PyTorch",
            "choose an image with MindSpore",
        )


def _span(text: str, at: int) -> Span:
    line = text.count("\n", 0, at) + 1
    return Span(line, 0, line, 0)
