"""Edits of a conda environment at the exact places that the YAML parser reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from torch2ms.project.requirements import Wanted

_CONDA_TORCH = frozenset({"pytorch", "torch", "pytorch-gpu", "pytorch-cpu"})
_CONDA_GONE = frozenset({"torchvision", "torchaudio", "pytorch-cuda", "pytorch-mutex", "cpuonly"})
_CHANNELS_GONE = frozenset({"pytorch", "pytorch-nightly", "pytorch-lts"})


def edited(text: str, root: Any, wanted: Wanted) -> str:
    """The text with its dependency entries changed; `root` is its composed document."""
    sections = {key.value: value for key, value in getattr(root, "value", ())} if hasattr(root, "value") else {}
    dependencies = getattr(sections.get("dependencies"), "value", None)
    if not isinstance(dependencies, list) or wanted.keep_torch:
        return text
    lines = text.splitlines(keepends=True)
    gone: set[int] = set()
    changed: dict[int, str] = {}
    pip = next(iter(_pip_lists(dependencies)), None)
    conda_torch = [node for node in dependencies if _conda_name(node) in _CONDA_TORCH]
    for node in dependencies:
        if _conda_name(node) in _CONDA_GONE | _CONDA_TORCH:
            gone.add(node.start_mark.line)
    for entry in pip or ():
        _pip_entry(entry, wanted, lines, gone, changed)
    in_pip = any(wanted.instead(entry.value) for entry in pip or () if isinstance(entry.value, str))
    if not gone and not changed:
        return text
    if conda_torch and pip and not in_pip:
        first = pip[0].start_mark
        prefix = lines[first.line][: first.column]
        added = [f"{prefix}{name}\n" for name in wanted.instead("torch") or () if not _listed(name, pip)]
        changed[first.line] = "".join(added) + changed.get(first.line, lines[first.line])
    elif conda_torch and not pip:
        line = conda_torch[0].start_mark.line
        dash = re.match(r"\s*-\s*", lines[line])
        indent = dash[0] if dash else "  - "
        inner = " " * len(indent)
        entries = "".join(f"{inner}  - {name}\n" for name in wanted.instead("torch") or ())
        has_pip = any(_conda_name(node) == "pip" for node in dependencies)
        changed[line] = ("" if has_pip else f"{indent}pip\n") + f"{indent}pip:\n{entries}"
        gone.discard(line)
    for node in getattr(sections.get("channels"), "value", ()) or ():
        if isinstance(node.value, str) and node.value in _CHANNELS_GONE:
            gone.add(node.start_mark.line)
    return "".join(
        changed.get(number, line) for number, line in enumerate(lines) if number not in gone or number in changed
    )


def _conda_name(node: Any) -> str:
    """The package of a conda entry such as `pytorch::pytorch=2.1=py3`; empty for the `pip:` mapping."""
    if not isinstance(node.value, str):
        return ""
    return re.split(r"[=<>!\s\[]", node.value.rpartition("::")[2].strip(), maxsplit=1)[0].lower()


def _pip_lists(dependencies: list[Any]) -> Iterator[list[Any]]:
    for node in dependencies:
        if isinstance(node.value, list):
            for pair in node.value:
                if (
                    isinstance(pair, tuple)
                    and pair[0].value == "pip"
                    and isinstance(pair[1].value, list)
                    and pair[1].value
                ):
                    yield pair[1].value


def _pip_entry(entry: Any, wanted: Wanted, lines: list[str], gone: set[int], changed: dict[int, str]) -> None:
    instead = wanted.instead(entry.value) if isinstance(entry.value, str) else None
    if instead is None:
        return
    line = entry.start_mark.line
    prefix = lines[line][: entry.start_mark.column]
    if instead:
        changed[line] = "".join(f"{prefix}{name}\n" for name in instead)
    else:
        gone.add(line)


def _listed(name: str, entries: list[Any]) -> bool:
    package = re.split(r"[<>=]", name)[0]
    return any(isinstance(entry.value, str) and entry.value.startswith(package) for entry in entries)
