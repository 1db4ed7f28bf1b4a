"""Writes how every API of the tables is checked: `python docs/generate_api_support.py`.

That is api-support.md beside this file, for people, and report/compared.txt in the package, for `torch2ms report`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.parity.calls import counted
from tests.parity.exceptions import ERRORS
from tests.rules.test_right_sides import names
from torch2ms.report.coverage import COMPARED
from torch2ms.rules import INDEX, Api
from torch2ms.rules.missing import MISSING
from torch2ms.rules.special import TRANSFORMED

HEAD = """# API support

Every name of PyTorch 2.13 that the tables know: {converted} convert and {refused} are refused by name, with advice.
`torch2ms explain torch.nn.Conv2d` prints one row with PyTorch's signature. An argument that does not stand on the right
converts only where it is left out or has its default; otherwise the call is refused (T2M102).

The last column says on what samples `python -m tests.parity` compares a row with PyTorch, in value, dtype, shape and
gradient: those of OpInfo by dtype (f: float32, i: int64, b: bool) or the inputs of ModuleInfo (m). `!` marks a row with
an error that `tests/parity/exceptions.py` explains. Rows without samples are held by the tests of their room.
"""


@cache
def _checked() -> dict[str, dict[str, int]]:
    return counted()


def text() -> str:
    """The whole file."""
    checked = _checked()
    sections: dict[str, list[str]] = defaultdict(list)
    refused: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    converted = 0
    for name in sorted(INDEX):
        space, _, short = name.rpartition(".")
        target, advice = _becomes(name)
        if target is None:
            refused[space][advice].append(short)
        else:
            converted += 1
            sections[space].append(f"| {short} | {target} | {_samples(name, checked)} |")
    parts = [HEAD.format(converted=converted, refused=len(INDEX) - converted)]
    for space in sorted(sections | refused):
        parts.append(f"\n## {space or 'Packages'}\n")
        if space in sections:
            parts += ["| API | becomes | checked |\n|---|---|---|", *sections[space], ""]
        if space in refused:
            parts += ["Refused:\n", *(_line(advice, shorts) for advice, shorts in sorted(refused[space].items()))]
    return "\n".join(parts).rstrip() + "\n"


def compared() -> str:
    """The converted APIs whose values are compared with PyTorch's on its own samples, one a line."""
    checked = _checked()
    return "".join(f"{name}\n" for name in sorted(INDEX) if _becomes(name)[0] is not None and _samples(name, checked))


def _becomes(name: str) -> tuple[str | None, str]:
    """What a name becomes, and the advice where it becomes nothing."""
    rule = INDEX[name]
    if not isinstance(rule, Api):
        kind = "by a transform" if name in TRANSFORMED else "by a rule of its own"
        return f"{kind}: {_escaped(_first_line(rule.__doc__))}" if rule.__doc__ else kind, ""
    if rule.mindspore is None:
        return None, rule.note
    if MISSING.intersection(names(rule)):
        return None, "not in the runtime yet"
    return f"`{_escaped(rule.mindspore)}`" + (f" {_escaped(rule.note)}" if rule.note else ""), ""


def _first_line(doc: str) -> str:
    return " ".join(doc.split("\n\n")[0].split())


def _escaped(value: str) -> str:
    return value.replace("|", "\\|")


def _samples(name: str, checked: dict[str, dict[str, int]]) -> str:
    found = checked.get(name, {})
    shown = " ".join(f"{number}{mark}" for mark, number in found.items() if mark in "fibm" and number)
    entry = name.removeprefix("torch.").removeprefix("Tensor.")
    excepted = any(key.partition(" | ")[0].partition(" ")[0] == entry for key in ERRORS)
    return f"{shown} !" if shown and excepted else shown


def _line(advice: str, shorts: list[str]) -> str:
    return f"- {advice}: {', '.join(f'`{short}`' for short in shorts)}"


def main() -> None:
    """Write both files."""
    Path(__file__).with_name("api-support.md").write_text(text(), encoding="utf-8")
    COMPARED.write_text(compared(), encoding="utf-8")


if __name__ == "__main__":
    main()
