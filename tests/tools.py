"""The verbs of the converter's tests: what a source becomes, what it leaves alone, and what is said about it."""
from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
from collections import Counter

from torch2ms.analysis.facts import Options
from torch2ms.convert import convert_source
from torch2ms.edits import Result

_EXPECTED = re.compile(r"#.*?\b((?:T2M\d{3}[\s,]*)+)")


def comments(text: str) -> Counter[str]:
    """The comments of a source, with how often each occurs."""
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string.strip() for token in found if token.type == tokenize.COMMENT)


def convert(source: str, **options: object) -> Result:
    """The conversion of an indented source; the output parses, keeps all comments and converts to itself."""
    text = textwrap.dedent(source)
    given = Options(**options)  # type: ignore[arg-type]
    result = convert_source(text, "source.py", options=given)
    broken = [d for d in result.diagnostics if d.code.startswith("T2M9")]
    assert not broken, broken
    ast.parse(result.text)
    assert not comments(text) - comments(result.text)
    again = convert_source(result.text, "source.py", options=given)
    assert again.text == result.text, "a second conversion changes the output"
    return result


def check_transformed(before: str, after: str, **options: object) -> Result:
    """`before` converts to exactly `after`."""
    result = convert(before, **options)
    assert result.text == textwrap.dedent(after), result.text
    return result


def check_noop(source: str, **options: object) -> Result:
    """The source comes back byte for byte, and nothing is said about it."""
    result = convert(source, **options)
    assert result.text == textwrap.dedent(source), result.text
    assert not result.diagnostics, result.diagnostics
    return result


def check_diagnostics(source: str, **options: object) -> Result:
    """The codes in the comments (`x = f()  # T2M101`) are said about these lines, and no others about any line; notes may be left out."""
    text = textwrap.dedent(source)
    result = convert(source, **options)
    expected = {(n, code) for n, line in enumerate(text.splitlines(), 1) if (m := _EXPECTED.search(line)) for code in re.findall(r"T2M\d{3}", m[1])}
    said = {(d.span.line, d.code) for d in result.diagnostics}
    notes = {(d.span.line, d.code) for d in result.diagnostics if d.severity.name == "NOTE"}
    assert expected <= said and said - notes <= expected, [str(d) for d in result.diagnostics]
    return result
