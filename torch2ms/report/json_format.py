"""Findings and counts as JSON; `schema.json` beside this file describes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch2ms
from torch2ms.diagnostics import Diagnostic
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome, RunOutcome

SCHEMA = Path(__file__).with_name("schema.json")
STATS = ("sites", "apis", "refused", "loops")


def document(run: RunOutcome) -> dict[str, Any]:
    """The run as plain data."""
    return {
        "tool": "torch2ms",
        "version": torch2ms.__version__,
        "schema": 1,
        "summary": {
            "files": len(run.files),
            "changed": sum(file.changed for file in run.files),
            "seconds": round(run.seconds, 3),
            **{what: dict(run.totals(what).most_common()) for what in STATS},
        },
        "files": [_file(run, file) for file in run.files],
        "findings": [finding(run, file, diagnostic) for file, diagnostic in run.findings()],
    }


def _file(run: RunOutcome, file: FileOutcome) -> dict[str, Any]:
    stats = {what: dict(getattr(file.result.stats, what)) for what in STATS}
    kind = "unread" if file.kind is EntryKind.OTHER else file.kind.value
    return {"path": run.shown(file), "kind": kind, "changed": file.changed, **stats}


def finding(run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding; lines and columns count from 1, in a notebook from the start of the cell."""
    span = diagnostic.span
    cell, line = file.cell_line(span.line)
    _, end_line = file.cell_line(span.end_line)
    return {
        "path": run.shown(file),
        "cell": cell or None,
        "line": line,
        "column": span.col + 1,
        "end_line": end_line,
        "end_column": span.end_col + 1,
        "code": diagnostic.code,
        "severity": diagnostic.severity.name.lower(),
        "message": diagnostic.message,
        "help": diagnostic.help or None,
    }


def to_json(run: RunOutcome) -> str:
    """The document as text."""
    return json.dumps(document(run), indent=2, ensure_ascii=False)
