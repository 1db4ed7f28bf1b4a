"""Before and after of training steps: the text without its imports, and the forms that were taken."""

from __future__ import annotations

import textwrap

from tests import tools
from torch2ms.edits import Result

HEAD = "import torch\nfrom torch import nn\n\n\n"


def convert(source: str, **options: object) -> Result:
    """The conversion of a snippet that uses `torch` and `nn`; it has to compile."""
    result = tools.convert(HEAD + textwrap.dedent(source).strip("\n") + "\n", **options)
    compile(result.text, "snippet.py", "exec")
    return result


def body(result: Result) -> str:
    """The converted text without its imports."""
    lines = [line for line in result.text.splitlines() if not line.startswith(("import ", "from "))]
    return "\n".join(lines).strip("\n")


def check(before: str, after: str, **forms: int) -> None:
    """Compares the conversion of `before` with `after` and the number of backwards of each form."""
    result = convert(before)
    assert body(result) == textwrap.dedent(after).strip("\n")
    assert dict(result.stats.loops) == forms
