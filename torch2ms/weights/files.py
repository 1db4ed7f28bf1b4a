"""Which kind of weights file something is, and folders of several with an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.formats import errors
from torch2ms.weights.mindspore_files import open_mindspore, write_mindspore
from torch2ms.weights.safetensors_files import open_safetensors, write_safetensors
from torch2ms.weights.stored import StoredTensor
from torch2ms.weights.torch_files import open_torch, write_torch

Writer = Callable[[IO[bytes], Mapping[str, StoredTensor], Mapping[str, str], Any, Mapping[str, str]], None]
WRITERS: dict[str, Writer] = {
    ".pth": write_torch,
    ".pt": write_torch,
    ".bin": write_torch,
    ".safetensors": write_safetensors,
    ".ckpt": write_mindspore,
}
_INDEX = ".index.json"


@dataclass(frozen=True, slots=True)
class Weights:
    """The tensors of one file by name; names of what else lies in it; the text of a safetensors file."""

    path: Path
    tensors: dict[str, StoredTensor]
    left_out: tuple[str, ...] = ()
    metadata: Mapping[str, str] | None = None


def open_file(path: Path, key: str | None) -> Weights:
    """Return what a file holds, by its content and not by its name (Lightning calls PyTorch's files .ckpt too)."""
    with path.open("rb") as file:
        head = file.read(16)
    # the length of a safetensors header may begin with any byte
    is_safetensors = head[8:9] == b"{" and int.from_bytes(head[:8], "little") < path.stat().st_size
    try:
        if not is_safetensors and head.startswith((b"PK", b"\x80")):
            tensors, beside = open_torch(path, key)
            return Weights(path, tensors, tuple(beside))
        if key:
            raise UsageProblem(f"{path}: --key is for PyTorch's files, whose tensors can lie in a dict of dicts")
        if is_safetensors:
            stored, metadata = open_safetensors(path)
            return Weights(path, stored, (), metadata)
        if head.startswith(b"\x0a"):
            tensors, beside = open_mindspore(path)
            return Weights(path, tensors, tuple(beside))
    except (errors.DamagedCheckpoint, errors.UnsafeCheckpoint) as error:
        raise UsageProblem(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error
    except UnicodeDecodeError as error:
        raise UsageProblem(f"{path}: the checkpoint is damaged: {error}") from error
    raise UsageProblem(f"{path}: no weights of PyTorch, safetensors or MindSpore")


def open_weights(path: Path, key: str | None) -> list[Weights]:
    """Return what a file holds, or the files of a folder."""
    if not path.is_dir():
        return [open_file(path, key)]
    indices = sorted(path.glob(f"*{_INDEX}"))
    if not indices:
        single = sorted(file for file in path.iterdir() if file.suffix in WRITERS)
        if len(single) != 1:
            raise UsageProblem(f"{path}: {len(single)} files of weights and no index", "name a file")
        return [open_file(single[0], key)]
    if len(indices) > 1:
        raise UsageProblem(f"{path}: several indices: {', '.join(index.name for index in indices)}", "name a file")
    return _open_parts(path, indices[0], key)


def _open_parts(folder: Path, index: Path, key: str | None) -> list[Weights]:
    places = _weight_map(index)
    parts = [open_file(folder / name, key) for name in sorted(set(places.values()))]
    held = {name: part.path.name for part in parts for name in part.tensors}
    wrong = [name for name, part in places.items() if held.get(name) != part]
    wrong += [name for name in held if name not in places]
    if wrong or sum(len(part.tensors) for part in parts) != len(held):
        raise UsageProblem(f"{index}: does not fit the files, for instance {wrong[0] if wrong else 'a tensor held twice'}")
    return parts


def _weight_map(index: Path) -> dict[str, str]:
    try:
        places = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageProblem(f"{index}: no index of weights: {error}") from error
    for part in places.values():
        if not isinstance(part, str) or Path(part).name != part:
            raise UsageProblem(f"{index}: names a file outside of its folder: {part!r}")
    return dict(places)


def part_name(old: Path, suffix: str) -> str:
    """Return what Hugging Face calls a file in another format: its readers look for these names."""
    stem = old.stem
    if suffix == ".bin" and (stem == "model" or stem.startswith("model-")):
        return f"pytorch_{stem}{suffix}"
    return f"{stem if suffix == '.bin' else stem.removeprefix('pytorch_')}{suffix}"


def index_name(suffix: str) -> str:
    """Return the name of the index of a folder."""
    return f"{'pytorch_model' if suffix == '.bin' else 'model'}{suffix}{_INDEX}"


def index_text(places: Mapping[str, str], total: int) -> str:
    """Return the content of an index: where each tensor lies, and the bytes of all."""
    return json.dumps({"metadata": {"total_size": total}, "weight_map": dict(places)}, indent=2, sort_keys=True) + "\n"
