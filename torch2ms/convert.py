"""The conversion of one source, in order: parse, facts, plan, emit, guard. A failure is a diagnostic of this file alone."""
from __future__ import annotations

import ast
import io
import re
import sys
import traceback
import warnings
from dataclasses import replace

from torch2ms.analysis.canonical import mentions_own
from torch2ms.analysis.facts import Options, ProjectFacts, facts_for
from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.garbage import paused
from torch2ms.source import SourceFile, Span

# the runtime's own name does not count: what the tool wrote needs no second conversion
_TORCH = re.compile(r"torch(?!2ms)|msadapter|safe_open")
_BOM = "\ufeff"
_PYTHON_2 = re.compile(r"^\s*(print\s+[^\s(=]|exec\s+['\"]|except\s+[\w.]+\s*,\s*\w+\s*:|raise\s+\w+\s*,)|\bprint\s*>>|<>", re.MULTILINE)
# statements that only newer interpreters than the oldest supported one know, with the version that brought them
_NEWER = (
    (re.compile(r"^\s*type\s+\w+\s*(\[[^\]]*\])?\s*=|^\s*(async\s+)?(def|class)\s+\w+\s*\[", re.MULTILINE), (3, 12)),
    (re.compile(r"^\s*except\s*\*", re.MULTILINE), (3, 11)),
)


def convert_source(text: str, path: str = "<string>", project: ProjectFacts | None = None, options: Options | None = None) -> Result:
    """Converts the text of one Python module; `project` holds what its other files define."""
    source = SourceFile(path, text, newline="\r\n" if "\r\n" in text else "\n")
    if text.startswith(_BOM):
        inner = convert_source(text[1:], path, project, options)
        return replace(inner, source=source, text=_BOM + inner.text)
    if not concerned(text, project):
        return Result(source, text)
    with paused():
        try:
            tree = _parsed(text)
        except (SyntaxError, ValueError) as error:
            return Result(source, text, (_unparsable(text, error),))
        try:
            return _converted(source, tree, project, options or Options())
        except Exception as error:  # noqa: BLE001 one file's failure never stops a run
            return Result(source, text, (_broken(error),))


def concerned(text: str, project: ProjectFacts | None) -> bool:
    """Whether a text can hold anything to convert: it names PyTorch, or a project does whose objects it may use."""
    return _TORCH.search(text) is not None or mentions_own(text) or project is not None and project.uses_torch


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _converted(source: SourceFile, tree: ast.Module, project: ProjectFacts | None, options: Options) -> Result:
    from torch2ms.plan import plan
    from torch2ms.resolve import is_converted, is_free_of_torch

    facts = facts_for(source, tree, _module_name(source.path, project), project, options)
    if facts.skipped(tree):
        return Result(source, source.text, (Diagnostic("T2M006", Span(1, 0, 1, 0), "the file is left alone, as its comment asks"),))
    if is_converted(facts) and is_free_of_torch(facts):
        return Result(source, source.text)
    found = plan(facts)
    diagnostics = _in_characters(found.diagnostics, source.text)
    if any(d.code == "T2M902" for d in diagnostics):
        return Result(source, source.text, diagnostics, found.stats)
    from torch2ms.emit import EditConflict, emit

    try:
        emitted = emit(source.text, tree, found.edits, facts.names, options)
    except EditConflict as error:
        conflict = Diagnostic("T2M902", Span.of(error.node), str(error), "please report it")
        return Result(source, source.text, (*diagnostics, conflict), found.stats)
    if emitted.text != source.text:
        emitted.prove(_parsed(emitted.text))
    return Result(source, emitted.text, diagnostics, found.stats)


def _in_characters(diagnostics: tuple[Diagnostic, ...], text: str) -> tuple[Diagnostic, ...]:
    """Columns counted in characters; `ast` counts bytes."""
    if text.isascii() or not diagnostics:
        return diagnostics
    lines = io.StringIO(text, newline="").readlines()

    def column(line: int, col: int) -> int:
        return len(lines[line - 1].encode()[:col].decode(errors="ignore")) if line <= len(lines) else col

    spans = [d.span for d in diagnostics]
    spans = [Span(s.line, column(s.line, s.col), s.end_line, column(s.end_line, s.end_col)) for s in spans]
    return tuple(replace(d, span=span) for d, span in zip(diagnostics, spans, strict=True))


def _module_name(path: str, project: ProjectFacts | None) -> str:
    """The dotted name under which the project knows the file."""
    if project is not None:
        for module in project.modules.values():
            if module.path == path:
                return module.name
    return ""


def _unparsable(text: str, error: SyntaxError | ValueError) -> Diagnostic:
    line, col = getattr(error, "lineno", None) or 1, max((getattr(error, "offset", None) or 1) - 1, 0)
    span = Span(line, col, line, col)
    message = getattr(error, "msg", None) or str(error)
    for pattern, version in _NEWER:
        if sys.version_info < version and pattern.search(text):
            need = ".".join(map(str, version))
            return Diagnostic("T2M004", span, f"the file needs Python {need}: {message}", f"run torch2ms with Python {need} or newer")
    if _PYTHON_2.search(text):
        return Diagnostic("T2M002", span, f"this is Python 2: {message}", "convert it to Python 3 first (2to3, pyupgrade)")
    return Diagnostic("T2M001", span, message)


def _broken(error: Exception) -> Diagnostic:
    steps = traceback.extract_tb(error.__traceback__)[-4:]
    trail = " < ".join(f"{step.name}:{step.lineno}" for step in reversed(steps))
    line = getattr(error, "lineno", None) or 1
    text = str(error).splitlines()[0] if str(error) else ""
    message = f"the converter failed on this file, which stays as it was: {type(error).__name__}: {text}"
    return Diagnostic("T2M901", Span(line, 0, line, 0), message, trail)
