"""New names for tensors: patterns of the user, and the parameter names of the classic layers of `mindspore.nn`.

Which layer a parameter belongs to does not stand in the file. What its siblings prove is renamed; what they do not (a
matrix without bias is an embedding or a linear layer) the user has to say, and nothing is written before.
https://www.mindspore.cn/docs/en/master/note/api_mapping/pytorch_api_mapping.html
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from torch2ms.project.errors import UsageProblem

KEEP, CLASSIC, TORCH = "keep", "classic", "torch"
# what the user passes to say that there is none of a kind
NONE = "none"
_STATISTICS = {"running_mean": "moving_mean", "running_var": "moving_variance"}


@dataclass(frozen=True, slots=True)
class Naming:
    """What the user said about names: renamed patterns (old, new) and the tensors of layers that a file does not show."""

    scheme: str = KEEP
    renames: tuple[tuple[str, str], ...] = ()
    embeddings: tuple[str, ...] = ()
    convolutions: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewName:
    """The name (None: left out) and the shape of a tensor in the new file."""

    name: str | None
    shape: tuple[int, ...]
    note: str = ""


@dataclass(slots=True)
class _Undecided:
    embeddings: list[str] = field(default_factory=list)
    convolutions: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def new_names(shapes: Mapping[str, tuple[int, ...]], naming: Naming) -> dict[str, NewName]:
    """Return the new name of every tensor; raises UsageProblem if one is unclear or two become one."""
    renamed = {name: _renamed(name, naming.renames) for name in shapes}
    decided = {name for name in shapes if _matches(name, naming.kept)}
    scheme = {CLASSIC: _classic, TORCH: _torch}.get(naming.scheme)
    undecided = _Undecided()
    found = {}
    siblings = _siblings({renamed[name]: shape for name, shape in shapes.items()})
    for name, shape in shapes.items():
        new = NewName(renamed[name], shape)
        if scheme is not None and name not in decided:
            new = scheme(renamed[name], shape, siblings[renamed[name].rpartition(".")[0]], naming, undecided)
        found[name] = new
    _refuse(undecided)
    _check_unique(found)
    return found


def _renamed(name: str, renames: Iterable[tuple[str, str]]) -> str:
    for old, new in renames:
        match = re.fullmatch("(.*)".join(map(re.escape, old.split("*"))), name)
        if match:
            fixed = new.split("*")
            return "".join(map("".join, itertools.zip_longest(fixed, match.groups()[: len(fixed) - 1], fillvalue="")))
    return name


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _siblings(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, dict[str, tuple[int, ...]]]:
    groups: dict[str, dict[str, tuple[int, ...]]] = {}
    for name, shape in shapes.items():
        owner, _, last = name.rpartition(".")
        groups.setdefault(owner, {})[last] = shape
    return groups


def _with_last(name: str, last: str) -> str:
    owner, dot, _ = name.rpartition(".")
    return f"{owner}{dot}{last}"


def _classic(
    name: str, shape: tuple[int, ...], layer: dict[str, tuple[int, ...]], naming: Naming, undecided: _Undecided
) -> NewName:
    last = name.rpartition(".")[2]
    if "running_mean" in layer and last == "num_batches_tracked":
        return NewName(None, shape, "mindspore.nn does not count batches")
    if last in _STATISTICS:
        return NewName(_with_last(name, _STATISTICS[last]), shape, "batch norm")
    if last not in ("weight", "bias") or "weight" not in layer:
        return NewName(name, shape)
    normalizes = len(layer["weight"]) == 1 and layer.get("bias") == layer["weight"]
    if normalizes or "running_mean" in layer:
        note = "batch norm" if "running_mean" in layer else "normalization"
        return NewName(_with_last(name, "gamma" if last == "weight" else "beta"), shape, note)
    if last == "bias":
        return NewName(name, shape)
    return _weight_alone(name, shape, layer, naming, undecided)


def _weight_alone(
    name: str, shape: tuple[int, ...], layer: dict[str, tuple[int, ...]], naming: Naming, undecided: _Undecided
) -> NewName:
    match len(shape):
        case 1:
            undecided.others.append(name)
        case 2 if "bias" not in layer:
            if _matches(name, naming.embeddings):
                return NewName(_with_last(name, "embedding_table"), shape, "embedding")
            if not naming.embeddings:
                undecided.embeddings.append(name)
        case 3:
            if _matches(name, naming.convolutions):
                return NewName(name, (*shape[:2], 1, shape[2]), "1-D convolution")
            if not naming.convolutions:
                undecided.convolutions.append(name)
    return NewName(name, shape)


def _torch(
    name: str, shape: tuple[int, ...], layer: dict[str, tuple[int, ...]], naming: Naming, undecided: _Undecided
) -> NewName:
    last = name.rpartition(".")[2]
    back = {new: old for old, new in _STATISTICS.items()}
    if last in back:
        return NewName(_with_last(name, back[last]), shape, "batch norm")
    if last == "embedding_table":
        return NewName(_with_last(name, "weight"), shape, "embedding")
    if last in ("gamma", "beta"):
        if layer.get("gamma") == layer.get("beta"):
            return NewName(_with_last(name, "weight" if last == "gamma" else "bias"), shape, "normalization")
        undecided.others.append(name)
    elif last == "w" and len(shape) == 1:
        undecided.others.append(name)
    elif last == "weight" and len(shape) == 4 and shape[2] == 1:
        if _matches(name, naming.convolutions):
            return NewName(name, (*shape[:2], shape[3]), "1-D convolution")
        if not naming.convolutions:
            undecided.convolutions.append(name)
    return NewName(name, shape)


def _refuse(undecided: _Undecided) -> None:
    questions = []
    if undecided.embeddings:
        questions.append(f"which of these are embeddings: {_listed(undecided.embeddings)} (--embedding PATTERN, or none)")
    if undecided.convolutions:
        questions.append(
            f"which of these are 1-D convolutions: {_listed(undecided.convolutions)} (--conv1d PATTERN, or none)"
        )
    if undecided.others:
        questions.append(f"what these are: {_listed(undecided.others)} (--rename OLD=NEW, or --keep PATTERN)")
    if questions:
        raise UsageProblem(f"the file does not say {'; nor '.join(questions)}", "patterns such as '*.embed.weight'")


def _listed(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _check_unique(found: Mapping[str, NewName]) -> None:
    owners: dict[str, str] = {}
    for old, new in found.items():
        if new.name is not None and owners.setdefault(new.name, old) != old:
            raise UsageProblem(f"{owners[new.name]} and {old} would both be called {new.name}")
