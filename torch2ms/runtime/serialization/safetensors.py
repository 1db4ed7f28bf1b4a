"""Files of the safetensors format: named tensors and text, nothing else. Read lazily, written atomically.

https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np
from mindspore import Tensor

from ._atomic import writing
from ._errors import Budget, DamagedCheckpoint
from ._source import Source
from ._storage import NUMPY, name_of

_TYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
    "I16": "int16", "I8": "int8", "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64", "BOOL": "bool",
    "C64": "complex64",
}  # fmt: skip
_NAMES = {name: code for code, name in _TYPES.items()}
_LENGTH = 8
_MOST_HEADER = 100_000_000


class safe_open:
    """The tensors of a file, each read when it is asked for. A context manager."""

    def __init__(self, filename: Any, framework: str = "pt", device: Any = "cpu") -> None:
        self._source = Source(filename)
        try:
            self._header, self._start = _read_header(self._source)
        except BaseException:
            self._source.close()
            raise

    def __enter__(self) -> safe_open:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._source.close()

    def keys(self) -> list[str]:
        """Return the names of the tensors."""
        return [name for name in self._header if name != "__metadata__"]

    def metadata(self) -> dict[str, str] | None:
        """Return the text beside the tensors."""
        return self._header.get("__metadata__")

    def get_array(self, name: str) -> np.ndarray:
        """Return a tensor as a numpy array; a large one stays on disk until it is used."""
        if name not in self.keys():
            raise KeyError(f"the file has no tensor {name!r}")
        begin, end = self._header[name]["data_offsets"]
        raw = self._source.array(self._start + begin, end - begin)
        kind = NUMPY[_TYPES[self._header[name]["dtype"]]]
        if raw.ctypes.data % kind.itemsize:
            raw = raw.copy()
        return raw.view(kind).reshape(self._header[name]["shape"])

    def get_tensor(self, name: str) -> Tensor:
        """Return a tensor."""
        return Tensor.from_numpy(self.get_array(name))


def _read_header(source: Source) -> tuple[dict[str, Any], int]:
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
        if kind not in _TYPES:
            raise DamagedCheckpoint(f"the tensor {name!r} has the type {kind!r}, which MindSpore does not have")
        counts = [*shape, begin, end]
        proper = all(type(count) is int and count >= 0 for count in counts) and begin <= end <= available
        if not proper or math.prod(shape) * NUMPY[_TYPES[kind]].itemsize != end - begin:
            raise DamagedCheckpoint(f"the tensor {name!r} of the safetensors file does not fit its bytes")
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedCheckpoint(f"the entry {name!r} of the safetensors file is damaged") from error


def load_file(filename: Any, device: Any = "cpu") -> dict[str, Tensor]:
    """Return the tensors of a file by name."""
    with safe_open(filename) as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def load(data: bytes) -> dict[str, Tensor]:
    """Return the tensors of a file's content by name."""
    return load_file(io.BytesIO(data))


def save_file(tensors: Mapping[str, Any], filename: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors (or arrays) to a file, which is replaced at the end or not at all."""
    with writing(filename) as file:
        _write(tensors, file, metadata)


def save(tensors: Mapping[str, Any], metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the content of the file."""
    stream = io.BytesIO()
    _write(tensors, stream, metadata)
    return stream.getvalue()


def _write(tensors: Mapping[str, Any], file: IO[bytes], metadata: Mapping[str, str] | None) -> None:
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    # the widest types come first, so that all are aligned
    order = sorted(tensors, key=lambda name: (-_dtype(tensors[name]).itemsize, name))
    for name in order:
        array_type = _dtype(tensors[name])
        size = math.prod(tensors[name].shape) * array_type.itemsize
        code = _NAMES[name_of(np.empty(0, array_type))]
        header[name] = {"dtype": code, "shape": list(tensors[name].shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _LENGTH)
    file.write(len(text).to_bytes(_LENGTH, "little") + text)
    for name in order:
        file.write(memoryview(np.ascontiguousarray(_array(tensors[name])).reshape(-1).view(np.uint8)))


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)


def _dtype(value: Any) -> np.dtype:
    return _array(value).dtype


def shards(folder: Any, index: str) -> Iterator[tuple[str, str]]:
    """Return (tensor, file) for every tensor of a folder whose index file names its parts."""
    with open(os.path.join(os.fspath(folder), index), encoding="utf-8") as file:
        places = json.load(file)["weight_map"]
    for name, part in places.items():
        if os.path.basename(part) != part:
            raise DamagedCheckpoint(f"the index names a file outside of its folder: {part!r}")
        yield name, os.path.join(os.fspath(folder), part)

