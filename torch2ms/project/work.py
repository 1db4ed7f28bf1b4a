"""The conversion of one file as a worker process does it: bytes in, outcome out, no failure leaves it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.project.discover import EntryKind
from torch2ms.project.left import left_in
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.pool import with_deep_stack
from torch2ms.project.text import decode, encode
from torch2ms.source import SourceFile, Span

if TYPE_CHECKING:
    from torch2ms.analysis.facts import Options, ProjectFacts
    from torch2ms.rules import Api

_START = Span(1, 0, 1, 0)


@dataclass(frozen=True, slots=True)
class Job:
    """One file to convert."""

    rel: str
    kind: EntryKind
    data: bytes


@dataclass(slots=True)
class Context:
    """What all files of a run share; set once in each worker."""

    project: ProjectFacts | None
    options: Options
    checking: bool = False  # look for what is left of PyTorch too
    strict: bool = False  # and for what rests on names alone
    rules: tuple[Api, ...] = ()  # of the project's own


_context: Context | None = None


def setup(context: Context) -> None:
    """Makes the context known to this process."""
    global _context
    if context.rules or _context is not None and _context.rules:
        from torch2ms.rules.own import lay_over

        lay_over(context.rules)
    _context = context


def work(job: Job) -> FileOutcome:
    """The outcome of one file; every error becomes a diagnostic of that file."""
    assert _context is not None
    start = time.perf_counter()
    try:
        outcome = _convert(job, _context)
        if any(d.code == "T2M901" and "RecursionError" in d.message for d in outcome.diagnostics):
            outcome = _deep(job, _context)
    except RecursionError:
        outcome = _deep(job, _context)
    except Exception as error:  # noqa: BLE001 the file boundary: one file's failure never stops the others
        outcome = failed(job, error)
    return replace(outcome, seconds=time.perf_counter() - start)


def _deep(job: Job, context: Context) -> FileOutcome:
    try:
        return with_deep_stack(lambda: _convert(job, context))
    except (RecursionError, MemoryError):
        return failed(job, "an expression is nested too deeply")
    except Exception as error:  # noqa: BLE001 the file boundary
        return failed(job, error)


def _convert(job: Job, context: Context) -> FileOutcome:
    if job.kind is EntryKind.NOTEBOOK:
        from torch2ms.project.notebook import convert_notebook

        return convert_notebook(job.rel, job.data, convert_text(context))
    if job.kind is EntryKind.MARKDOWN:
        from torch2ms.project.markdown import convert_markdown

        return convert_markdown(job.rel, job.data, convert_text(context))
    source = decode(job.data, job.rel)
    if isinstance(source, Diagnostic):
        return FileOutcome(job.rel, job.kind, Result(SourceFile(job.rel, ""), "", (source,)))
    result = convert_text(context)(source)
    data = encode(result.text, source) if result.changed else None
    return FileOutcome(job.rel, job.kind, result, data)


def convert_text(context: Context) -> Callable[[SourceFile], Result]:
    """The converter of one module's text under this context."""
    from torch2ms.convert import convert_source

    def convert(source: SourceFile) -> Result:
        result = convert_source(source.text, source.path, context.project, context.options)
        if context.checking:
            result = replace(result, diagnostics=(*_left(source, context), *result.diagnostics))
        return replace(result, source=replace(result.source, encoding=source.encoding, newline=source.newline))

    return convert


def _left(source: SourceFile, context: Context) -> tuple[Diagnostic, ...]:
    return left_in(source, context.project, context.options, context.strict)


def failed(job: Job, error: Exception | str) -> FileOutcome:
    """The outcome of a file on which the converter broke: as it was, with T2M901."""
    if isinstance(error, Exception):
        where = traceback.extract_tb(error.__traceback__)[-1:]
        place = f" ({where[0].name}, line {where[0].lineno})" if where else ""
        message = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}{place}"
    else:
        message = error
    source = decode(job.data, job.rel)
    text = source.text if isinstance(source, SourceFile) else ""
    diagnostic = Diagnostic("T2M901", _START, f"the converter failed on this file, which stays as it was: {message}")
    kept = source if isinstance(source, SourceFile) else SourceFile(job.rel, "")
    return FileOutcome(job.rel, job.kind, Result(kept, text, (diagnostic,)))
