"""Findings as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import torch2ms
from torch2ms.diagnostics import CODES, Diagnostic, Severity
from torch2ms.project.outcome import FileOutcome, RunOutcome

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def to_sarif(run: RunOutcome) -> str:
    """The SARIF log as text."""
    findings = list(run.findings())
    used = sorted({diagnostic.code for _, diagnostic in findings})
    index = {code: number for number, code in enumerate(used)}
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {"name": "torch2ms", "version": torch2ms.__version__, "rules": [_rule(c) for c in used]}
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(run, file, diagnostic, index) for file, diagnostic in findings],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(code: str) -> dict[str, Any]:
    row = CODES[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in row.title.replace("-", " ").replace(".", " ").split()),
        "shortDescription": {"text": row.title},
        "fullDescription": {"text": row.explanation},
        "defaultConfiguration": {"level": _LEVELS[row.severity]},
    }


def _result(run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic, index: dict[str, int]) -> dict[str, Any]:
    span = diagnostic.span
    cell, _ = file.cell_line(span.line)
    text = f"cell {cell}: {diagnostic.message}" if cell else diagnostic.message
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": index[diagnostic.code],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": f"{text}. {diagnostic.help}" if diagnostic.help else text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(run.shown(file))},
                    "region": _region(file, diagnostic),
                }
            }
        ],
    }


def _region(file: FileOutcome, diagnostic: Diagnostic) -> dict[str, int]:
    span = diagnostic.span
    _, line = file.cell_line(span.line)
    _, end_line = file.cell_line(span.end_line)
    region = {"startLine": line, "startColumn": span.col + 1}
    if (span.end_line, span.end_col) > (span.line, span.col):
        region |= {"endLine": end_line, "endColumn": span.end_col + 1}
    return region
