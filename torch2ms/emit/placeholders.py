"""Templates as text: what they name, and the source that they are once every name is chosen."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

# a string literal is skipped, so that a `$` in quoted source text means nothing
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|\$(\d+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)')
# how `$0` is spelled in a source
SLOT = re.compile(r"_t2m_(\d+)_")


@cache
def references(template: str) -> tuple[str, ...]:
    """What a template names of MindSpore and of the runtime: `("mint.cat", "ops.assign")`."""
    found = (match.group(1) for match in _TOKEN.finditer(template))
    return tuple(dict.fromkeys(name for name in found if name and not name[0].isdigit()))


@cache
def placeholders(template: str) -> frozenset[int]:
    """The numbers of the parts that a template uses."""
    return frozenset(int(m.group(1)) for m in _TOKEN.finditer(template) if m.group(1) and m.group(1)[0].isdigit())


def spelled(template: str, name: Callable[[str], str]) -> str:
    """The template as parseable source: references under their local names, `$0` as an identifier."""

    def one(match: re.Match[str]) -> str:
        word = match.group(1)
        if word is None:
            return match.group(0)
        return f"_t2m_{word}_" if word[0].isdigit() else name(word)

    return _TOKEN.sub(one, template) if "$" in template else template
