"""The header of a safetensors file: which tensors lie where. https://huggingface.co/docs/safetensors/index#format"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._errors import Budget, DamagedCheckpoint
from ._source import Source
from ._types import SIZES

TYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64", "BOOL": "bool",
    "C64": "complex64",
}  # fmt: skip
_CODES = {name: code for code, name in TYPES.items()}
_LENGTH = 8
_MOST_HEADER = 100_000_000


def read_header(source: Source) -> tuple[dict[str, Any], int]:
    """Return the header, checked against the size of the file, and where the numbers begin."""
    length = int.from_bytes(source.read(0, _LENGTH), "little")
    if length > min(_MOST_HEADER, source.size - _LENGTH):
        raise DamagedCheckpoint("the header of the safetensors file is longer than the file")
    # parsed JSON takes several times the memory of its text
    Budget(source.size).charge(length)
    try:
        header = json.loads(bytes(source.read(_LENGTH, length)))
    except (ValueError, RecursionError) as error:
        raise DamagedCheckpoint(f"the header of the safetensors file is damaged: {error}") from error
    if not isinstance(header, dict):
        raise DamagedCheckpoint("the header of the safetensors file is no object")
    for name, entry in header.items():
        if name != "__metadata__":
            _check_entry(name, entry, source.size - _LENGTH - length)
    return header, _LENGTH + length


def _check_entry(name: str, entry: Any, available: int) -> None:
    try:
        shape, (begin, end), kind = entry["shape"], entry["data_offsets"], entry["dtype"]
        if kind not in TYPES:
            raise DamagedCheckpoint(f"the tensor {name!r} has the type {kind!r}, which MindSpore does not have")
        counts = [*shape, begin, end]
        proper = all(type(count) is int and count >= 0 for count in counts) and begin <= end <= available
        if not proper or math.prod(shape) * SIZES[TYPES[kind]] != end - begin:
            raise DamagedCheckpoint(f"the tensor {name!r} of the safetensors file does not fit its bytes")
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedCheckpoint(f"the entry {name!r} of the safetensors file is damaged") from error


def make_header(
    tensors: Mapping[str, tuple[str, tuple[int, ...]]], metadata: Mapping[str, str] | None
) -> tuple[bytes, list[str]]:
    """Return the first bytes of a file for tensors of (type, shape), and the order in which their numbers follow."""
    for name, (dtype, _) in tensors.items():
        if dtype not in _CODES:
            raise TypeError(f"a safetensors file holds no {dtype}, the type of {name!r}")
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    # the widest types come first, so that all are aligned
    order = sorted(tensors, key=lambda name: (-SIZES[tensors[name][0]], name))
    for name in order:
        dtype, shape = tensors[name]
        size = math.prod(shape) * SIZES[dtype]
        header[name] = {"dtype": _CODES[dtype], "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    return len(text).to_bytes(_LENGTH, "little") + text, order
