"""Comments that speak to this tool: `# torch2ms: skip[CODE]`, `skip` and `skip-file`; read, judged and written."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from torch2ms.diagnostics import Severity
from torch2ms.project.errors import did_you_mean
from torch2ms.project.outcome import FileOutcome

_CODES = re.compile(r"#\s*torch2ms:\s*skip\[([A-Za-z0-9, ]*)\]")
_ADDRESSED = re.compile(r"#\s*torch2ms\s*:\s*([\w-]*)(\[)?")
# as the analysis looks for them
_SPELLED = ("torch2ms: skip", "torch2ms: skip-file")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def skip_comments(text: str) -> dict[int, tuple[str, ...]]:
    """Line -> the codes that its `# torch2ms: skip[CODE, ...]` comment names."""
    if "skip[" not in text:
        return {}
    matches = ((line, _CODES.search(comment)) for line, comment in _comments(text))
    return {line: _split(match[1]) for line, match in matches if match}


def _split(codes: str) -> tuple[str, ...]:
    return tuple(code.strip().upper() for code in codes.split(",") if code.strip())


def _comments(text: str) -> Iterator[tuple[int, str]]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    yield from ((token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT)


def stray_comments(text: str) -> list[tuple[int, str]]:
    """(line, message) of comments that speak to this tool and that it does not understand, or that stand where they do nothing."""
    found: list[tuple[int, str]] = []
    places: set[int] | None = None
    for line, comment in _comments(text):
        match = _ADDRESSED.search(comment)
        if match is None or _CODES.search(comment):
            continue
        word = match[1]
        if f"torch2ms: {word}" not in comment or f"torch2ms: {word}" not in _SPELLED or match[2]:
            found.append((line, f"`{comment[match.start() :]}` says nothing to torch2ms{_instead(word)}"))
        elif word == "skip":
            places = _heads(text) if places is None else places
            if line not in places:
                found.append((line, "`skip` belongs on the line of a def or class; here it would be skip[CODE]"))
    return found


def _instead(word: str) -> str:
    return "; it knows `torch2ms: skip`" if word == "skip" else did_you_mean(word, ("skip", "skip-file"))


def _heads(text: str) -> set[int]:
    """The lines from the decorators of each def and class to its body."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(range(1, text.count("\n") + 2))
    heads: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            heads.update(range(first, node.body[0].lineno), (node.lineno,))
    return heads


def add_skips(file: FileOutcome) -> str:
    """The source text with a skip comment at the end of each line that has findings; notes are none."""
    text = file.result.source.text
    lines = io.StringIO(text, newline="").readlines()
    closed = _closed(text, lines)
    codes: dict[int, set[str]] = {}
    for diagnostic in file.diagnostics:
        span = diagnostic.span
        open_lines = (line for line in range(span.line, max(span.line, span.end_line) + 1) if line not in closed)
        line = next(open_lines, None)
        if line is not None and diagnostic.severity is not Severity.NOTE:
            codes.setdefault(line, set()).add(diagnostic.code)
    for line, found in codes.items():
        body = lines[line - 1].rstrip("\r\n")
        end = lines[line - 1][len(body) :]
        match = _CODES.search(body)
        if match:
            found |= set(_split(match[1]))
            body = body[: match.start()].rstrip() + body[match.end() :]
        lines[line - 1] = f"{body}  # torch2ms: skip[{', '.join(sorted(found))}]{end}"
    return "".join(lines)


def _closed(text: str, lines: list[str]) -> set[int]:
    """The lines at whose end no comment can stand: inside a string, or before a backslash."""
    closed = {number for number, line in enumerate(lines, 1) if line.rstrip("\r\n").endswith("\\")}
    starts: list[int] = []
    names = {name: getattr(tokenize, name, -1) for name in ("FSTRING_START", "FSTRING_END")}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING:
                closed.update(range(token.start[0], token.end[0]))
            elif token.type == names["FSTRING_START"]:
                starts.append(token.start[0])
            elif token.type == names["FSTRING_END"]:
                closed.update(range(starts.pop(), token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        return set(range(1, len(lines) + 1))
    return closed
