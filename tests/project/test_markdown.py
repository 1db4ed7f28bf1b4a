"""Python fences of Markdown files."""

from __future__ import annotations

from torch2ms.convert import convert_source
from torch2ms.project.markdown import convert_markdown, python_fences
from torch2ms.source import SourceFile


def convert(text: str) -> str:
    outcome = convert_markdown("r.md", text.encode(), lambda source: convert_source(source.text, source.path))
    return (outcome.data or text.encode()).decode()


def test_only_python_fences_change():
    text = (
        "# torch\n\nUse `torch.ones`.\n\n```python\nimport torch\nx = torch.ones(1)\n```\n\n"
        "```bash\npip install torch\n```\n\n~~~py\ny = torch.exp(x)\n~~~\n\n```\ntorch.ones(1)\n```\n"
    )
    new = convert(text)
    assert "x = mint.ones" in new and "y = mint.exp(x)" in new
    assert "Use `torch.ones`." in new and "pip install torch\n" in new and "```\ntorch.ones(1)\n```" in new
    assert new.count("\n") == text.count("\n")


def test_indented_fences_and_incomplete_code():
    text = "1. do\n\n   ```python\n   import torch\n   x = torch.ones(1)\n   ```\n\n```python\n>>> torch.ones(1)\n```\n"
    new = convert(text)
    assert "   x = mint.ones" in new and ">>> torch.ones(1)" in new


def test_an_open_fence_is_none():
    assert python_fences(["```python\n", "import torch\n"]) == []
    assert python_fences(["````python\n", "```\n", "x\n", "````\n"]) == [(1, 3, "")]


def test_crlf_stays():
    new = convert("```python\r\nimport torch\r\nx = torch.ones(1)\r\n```\r\n")
    assert new.count("\n") == new.count("\r\n") and "mint.ones" in new


def test_source_without_fences():
    outcome = convert_markdown("r.md", b"torch\n", lambda source: convert_source(source.text, source.path))
    assert outcome.data is None and isinstance(outcome.result.source, SourceFile)
