"""Jupyter notebooks: code cells convert together, everything else in the file stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from torch2ms.diagnostics import Diagnostic
from torch2ms.edits import Result
from torch2ms.project.cells import Cell, convert_cells
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.requirements import change_install_line
from torch2ms.source import SourceFile, Span


def convert_notebook(rel: str, data: bytes, convert: Callable[[SourceFile], Result]) -> FileOutcome:
    """The outcome of a notebook of format 4; outputs of changed cells are cleared, ids and metadata survive."""
    try:
        notebook = json.loads(data)
        cells = notebook["cells"]
        code = [(number, cell) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"]
        texts = [Cell(number, _text(cell["source"])) for number, cell in code]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return _refused(rel, _why(data, error))
    language = notebook.get("metadata", {}).get("kernelspec", {}).get("language", "python")
    if language.lower() not in ("python", "ipython"):
        return FileOutcome(rel, EntryKind.NOTEBOOK, Result(SourceFile(rel, ""), ""))
    done = convert_cells(rel, texts, convert, change_install_line)
    changed = False
    for (_, cell), old, new in zip(code, texts, done.texts):
        if new != old.text:
            changed = True
            cell["source"] = _like(cell["source"], new)
            cell["outputs"] = []
            cell["execution_count"] = None
    written = _dump(notebook, data) if changed else None
    return FileOutcome(rel, EntryKind.NOTEBOOK, done.result, written, done.places)


def _text(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def _like(old: str | list[str], text: str) -> str | list[str]:
    return text if isinstance(old, str) else text.splitlines(keepends=True)


def _refused(rel: str, message: str) -> FileOutcome:
    diagnostic = Diagnostic("T2M001", Span(1, 0, 1, 0), message)
    return FileOutcome(rel, EntryKind.NOTEBOOK, Result(SourceFile(rel, ""), "", (diagnostic,)))


def _why(data: bytes, error: Exception) -> str:
    if b'"worksheets"' in data:
        return "the notebook has the old format 3; open and save it in Jupyter first (jupyter nbconvert --to notebook)"
    if isinstance(error, ValueError):
        return f"the notebook is not valid JSON: {error}"
    return "the file is JSON, but not a notebook"


def _dump(notebook: Any, data: bytes) -> bytes:
    """JSON as the notebook was written: its indentation, its escapes, its last newline."""
    found = re.match(rb"\{\r?\n([ \t]+)", data)
    indent: int | str | None = None
    if found:
        indent = found[1].decode()
    ascii_only = data.isascii() and re.search(rb"\\u[0-9a-fA-F]{4}", data) is not None
    separators = None if indent is not None or b'": ' in data[:200] else (",", ":")
    text = json.dumps(notebook, indent=indent, ensure_ascii=ascii_only, separators=separators)
    if data.endswith(b"\n"):
        text += "\n"
    if b"\r\n" in data:
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8", "surrogatepass")
