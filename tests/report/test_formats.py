"""Machine-readable formats: against their schemas, and complete.

TORCH2MS_SARIF_SCHEMA names a copy of the published schema (sarif-schema-2.1.0.json of OASIS), which is not part of this
repository.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from torch2ms.diagnostics import CODES, Diagnostic, Severity
from torch2ms.edits import Result, Stats
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome, RunOutcome
from torch2ms.report.github import workflow_commands
from torch2ms.report.json_format import SCHEMA, to_json
from torch2ms.report.markdown import to_markdown
from torch2ms.report.sarif import to_sarif
from torch2ms.report.text import finding_lines
from torch2ms.source import SourceFile, Span


@pytest.fixture
def run(tmp_path, monkeypatch) -> RunOutcome:
    monkeypatch.chdir(tmp_path)
    stats = Stats({"proven": 3, "guarded": 1, "refused": 2}, {"torch.exp": 3}, {"torch.svd": 2}, {"lifted": 1})
    said = (
        Diagnostic("T2M102", Span(3, 4, 3, 9), "50% | of, it: a\nb", "do\nthis"),
        Diagnostic("T2M205", Span(1, 0, 5, 0), "a note"),
        Diagnostic("T2M103", Span(2, 0, 2, 0), "a warning"),
    )
    text = "import torch\n" * 6
    one = FileOutcome(
        "src/a b.py", EntryKind.PYTHON, Result(SourceFile("src/a b.py", text), text + "x", said, stats), b"x"
    )
    in_cell = (Diagnostic("T2M101", Span(9, 2, 9, 5), "in a cell"),)
    two = FileOutcome(
        "n.ipynb", EntryKind.NOTEBOOK, Result(SourceFile("n.ipynb", text), text, in_cell), None, ((2, 1), (8, 4))
    )
    three = FileOutcome(
        "gone.py",
        EntryKind.OTHER,
        Result(SourceFile("gone.py", ""), "", (Diagnostic("T2M005", Span(1, 0, 1, 0), "no"),)),
    )
    return RunOutcome(tmp_path, [one, two, three], 1.25)


def test_json_fits_its_schema(run):
    document = json.loads(to_json(run))
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["summary"]["sites"] == {"proven": 3, "guarded": 1, "refused": 2}
    first = document["findings"][0]
    assert (first["line"], first["column"], first["severity"]) == (1, 1, "note")
    cell = next(f for f in document["findings"] if f["cell"])
    assert (cell["cell"], cell["line"], cell["column"]) == (4, 2, 3)


def test_schema_itself_is_valid():
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))


def test_sarif(run):
    log = json.loads(to_sarif(run))
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    results = log["runs"][0]["results"]
    assert len(results) == 5
    for result in results:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert " " not in place["artifactLocation"]["uri"] and not place["artifactLocation"]["uri"].startswith("/")
        assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1
    assert {r["level"] for r in results} == {"error", "warning", "note"}


@pytest.mark.skipif("TORCH2MS_SARIF_SCHEMA" not in os.environ, reason="TORCH2MS_SARIF_SCHEMA is not set")
def test_sarif_fits_the_published_schema(run):
    schema = json.loads(Path(os.environ["TORCH2MS_SARIF_SCHEMA"]).read_text())
    checker = jsonschema.validators.validator_for(schema)
    checker.check_schema(schema)
    checker(schema).validate(json.loads(to_sarif(run)))
    with pytest.raises(jsonschema.ValidationError):
        checker(schema).validate({**json.loads(to_sarif(run)), "version": "2.0.0"})


def test_github_commands_are_one_line_each(run):
    lines = list(workflow_commands(run))
    assert len(lines) == 5
    said = next(line for line in lines if "T2M102" in line)
    assert said.startswith(
        "::error title=torch2ms T2M102,file=src/a b.py,line=3,col=5::50%25 | of, it: a%0Ab%0Ahelp: do%0Athis"
    )
    assert all("\n" not in line for line in lines)


def test_markdown_table_holds_together(run):
    rows = [line for line in to_markdown(run).splitlines() if line.startswith("| `")]
    assert len(rows) == 4  # notes are left out
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)


def test_text(run):
    lines = list(finding_lines(run))
    assert "src/a b.py:3:5 T2M102 50% | of, it: a\nb" in lines and "n.ipynb:cell 4:2:3 T2M101 in a cell" in lines
    assert not any("T2M205" in line for line in lines)
    assert any("T2M205" in line for line in finding_lines(run, verbose=True))


def test_an_error_asks_for_attention(run):
    assert run.attention and run.count(Severity.ERROR) == 3
    run.files = run.files[:0]
    assert not run.attention


def test_every_code_is_documented():
    rows = Path(__file__).parents[2].joinpath("docs/codes.md").read_text()
    for code, row in CODES.items():
        assert f"| {code} | {row.severity.name.lower()} | {row.title} | {row.explanation} |" in rows
