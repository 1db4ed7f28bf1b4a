"""Files of the safetensors format. https://huggingface.co/docs/safetensors/index#format"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.formats import safetensors, source
from torch2ms.weights.stored import Place, StoredTensor

# MindSpore's notes about the bytes of one file
_OF_THE_FILE = ("crc_num", "remove_redundancy")


def open_safetensors(path: Path) -> tuple[dict[str, StoredTensor], dict[str, str]]:
    """Return the tensors of a file and the text beside them."""
    file = source.Source(path)
    try:
        header, start = safetensors.read_header(file)
    finally:
        file.close()
    metadata = header.pop("__metadata__", None) or {}
    packed = [name for name in header if name in metadata]
    if packed:
        raise UsageProblem(f"{path}: {packed[0]} is stored as {metadata[packed[0]]}, which PyTorch does not have")
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        place = Place(file.path, start + begin, end - begin)
        tensors[name] = StoredTensor(safetensors.TYPES[entry["dtype"]], tuple(entry["shape"]), (place,))
    return tensors, {key: str(value) for key, value in metadata.items() if key not in _OF_THE_FILE}


def write_safetensors(
    file: IO[bytes], tensors: Mapping[str, StoredTensor], types: Mapping[str, str], pieces: Any, metadata: Mapping[str, str]
) -> None:
    """Write a file; `pieces(name)` gives the bytes of a tensor in its new type."""
    strange = [name for name in tensors if types[name] not in safetensors.TYPES.values()]
    if strange:
        raise UsageProblem(f"a .safetensors file holds no {types[strange[0]]}, the type of {strange[0]}")
    described = {name: (types[name], tensor.shape) for name, tensor in tensors.items()}
    # the readers of Hugging Face ask which library's names these are
    head, order = safetensors.make_header(described, {"format": "pt", **metadata})
    file.write(head)
    for name in order:
        for piece in pieces(name):
            file.write(piece)
