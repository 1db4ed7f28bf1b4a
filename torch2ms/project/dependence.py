"""Digests of the project facts that each file rests on, so that a change reaches only the files it concerns."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch2ms.project.cache import digest
from torch2ms.project.modules import imports_of, index_by_ending

if TYPE_CHECKING:
    from torch2ms.analysis.facts import ProjectFacts


def facts_digests(project: ProjectFacts, files: Mapping[str, bytes], names: Mapping[str, str]) -> dict[str, str]:
    """Relative path -> digest of the facts of the file's own module and of all modules it imports, directly or not."""
    own = _by_module(project)
    order = list(files)
    position = {rel: bit for bit, rel in enumerate(order)}
    index = index_by_ending({rel: names[rel] for rel in order})
    direct = [0] * len(order)
    for rel in order:
        for target in imports_of(rel, files[rel], names, index):
            direct[position[rel]] |= 1 << position[target]
    stamps = [digest(rel, own.get(names[rel], ""), str(project.habits)) for rel in order]
    known: dict[int, str] = {}
    result = {}
    for rel in order:
        reached = _closure(position[rel], direct)
        if reached not in known:
            known[reached] = digest(*(stamps[bit] for bit in _bits(reached)))
        result[rel] = known[reached]
    return result


def _closure(start: int, direct: list[int]) -> int:
    reached, waiting = 1 << start, direct[start]
    while new := waiting & ~reached:
        reached |= new
        waiting = 0
        for bit in _bits(new):
            waiting |= direct[bit]
    return reached


def _bits(number: int) -> list[int]:
    bits = []
    while number:
        low = number & -number
        bits.append(low.bit_length() - 1)
        number ^= low
    return bits


def _by_module(project: ProjectFacts) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for field in dataclasses.fields(project):
        table = getattr(project, field.name)
        if not isinstance(table, dict):
            texts.setdefault("", []).append(canonical_text(table))
            continue
        for name, facts in table.items():
            texts.setdefault(_module_of(name, project), []).append(canonical_text(facts))
    return {module: digest(*sorted(parts)) for module, parts in texts.items()}


def _module_of(name: str, project: ProjectFacts) -> str:
    while name and name not in project.modules:
        name = name.rpartition(".")[0]
    return name


def canonical_text(value: Any) -> str:
    """A text that is equal for equal plain data, whatever the order of sets and dictionaries."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [f"{f.name}={canonical_text(getattr(value, f.name))}" for f in dataclasses.fields(value)]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(sorted(f"{canonical_text(k)}: {canonical_text(v)}" for k, v in value.items())) + "}"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(canonical_text, value))) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(canonical_text, value)) + "]"
    return repr(value)
