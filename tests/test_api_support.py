"""docs/api-support.md and the list that reports read are what the tables say today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from torch2ms.report.coverage import COMPARED

DOCS = Path(__file__).parents[1] / "docs"


def test_it_is_current() -> None:
    spec = importlib.util.spec_from_file_location("generate_api_support", DOCS / "generate_api_support.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compared() == COMPARED.read_text(encoding="utf-8"), "run `python docs/generate_api_support.py`"
    current = (DOCS / "api-support.md").read_text(encoding="utf-8")
    assert module.text() == current, "run `python docs/generate_api_support.py`"
    assert "| softmax |" in current and "Refused:" in current
