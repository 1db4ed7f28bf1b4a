"""Files of the safetensors format: named tensors and text, nothing else. Read lazily, written atomically.

https://huggingface.co/docs/safetensors/index#format
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

import numpy as np
from mindspore import Tensor

from ._atomic import writing
from ._errors import DamagedCheckpoint
from ._safetensors import TYPES, make_header, read_header
from ._source import Source
from ._tensors import NUMPY, name_of


class safe_open:
    """The tensors of a file, each read when it is asked for; arrays where the framework is numpy. A context manager."""

    def __init__(self, filename: Any, framework: str = "pt", device: Any = "cpu") -> None:
        self._wrap = np.array if framework in ("np", "numpy") else Tensor.from_numpy
        self._source = Source(filename)
        try:
            self._header, self._start = read_header(self._source)
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
        kind = NUMPY[TYPES[self._header[name]["dtype"]]]
        if raw.ctypes.data % kind.itemsize:
            raw = raw.copy()
        return raw.view(kind).reshape(self._header[name]["shape"])

    def get_slice(self, name: str) -> _Slice:
        """Return a tensor of which parts can be read."""
        return _Slice(self.get_array(name), self._wrap)

    def get_tensor(self, name: str) -> Any:
        """Return a tensor."""
        return self._wrap(self.get_array(name))


class _Slice:
    """A tensor in a file: indexing reads the part."""

    def __init__(self, array: np.ndarray, wrap: Callable[[np.ndarray], Any]) -> None:
        self._array = array
        self._wrap = wrap

    def get_shape(self) -> list[int]:
        """Return the shape of the whole tensor."""
        return list(self._array.shape)

    def __getitem__(self, index: Any) -> Any:
        return self._wrap(np.array(self._array[index]))


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
    described = {name: (name_of(_array(value)), tuple(value.shape)) for name, value in tensors.items()}
    head, order = make_header(described, metadata)
    file.write(head)
    for name in order:
        file.write(memoryview(np.ascontiguousarray(_array(tensors[name])).reshape(-1).view(np.uint8)))


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)


def shards(folder: Any, index: str) -> Iterator[tuple[str, str]]:
    """Return (tensor, file) for every tensor of a folder whose index file names its parts."""
    with open(os.path.join(os.fspath(folder), index), encoding="utf-8") as file:
        places = json.load(file)["weight_map"]
    for name, part in places.items():
        if os.path.basename(part) != part:
            raise DamagedCheckpoint(f"the index names a file outside of its folder: {part!r}")
        yield name, os.path.join(os.fspath(folder), part)

