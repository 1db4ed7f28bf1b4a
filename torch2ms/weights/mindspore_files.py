"""Files of `mindspore.save_checkpoint`: messages of the protocol buffer format, one or more for each tensor.

A message `Checkpoint { repeated Value value = 1 }` holds `Value { string tag = 1; TensorProto tensor = 2; maptensor = 3 }`
with `TensorProto { repeated int64 dims = 1; string tensor_type = 2; bytes tensor_content = 3 }`.
https://www.mindspore.cn/docs/en/master/api_python/mindspore/mindspore.save_checkpoint.html
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from torch2ms.project.errors import UsageProblem
from torch2ms.weights.formats import dtypes, errors
from torch2ms.weights.stored import PIECE, Place, StoredTensor

_TYPES = {
    "Float32": "float32", "Float64": "float64", "Float16": "float16", "BFloat16": "bfloat16", "Int64": "int64",
    "Int32": "int32", "Int16": "int16", "Int8": "int8", "UInt8": "uint8", "Bool": "bool", "UInt16": "uint16",
    "UInt32": "uint32", "UInt64": "uint64",
}  # fmt: skip
_NAMES = {name: kind for kind, name in _TYPES.items()}
_TEXT = "str"
# larger tensors are written in several messages, as MindSpore does: a message ends below 2 GiB
_SLICE = 512 << 20
_CRC_MARK, _CRC_LENGTH = b"crc_num", 17
_LONGEST_NAME = 1 << 16
_BYTES, _VARINT, _WIDE, _NARROW = 2, 0, 1, 5


def open_mindspore(path: Path) -> tuple[dict[str, StoredTensor], list[str]]:
    """Return the tensors of a file, and the names of the texts beside them."""
    found: dict[str, tuple[str, tuple[int, ...], list[Place]]] = {}
    with path.open("rb") as file:
        end = _checked_end(file, path)
        for value, stop in _messages(file, 0, end):
            tag, dims, kind, place = _value(file, value, stop, path)
            found.setdefault(tag, (kind, dims, []))[2].append(place)
    tensors, left_out = {}, []
    for name, (kind, dims, places) in found.items():
        if kind == _TEXT:
            left_out.append(name)
            continue
        tensors[name] = _tensor(name, kind, dims, tuple(places), path)
    return tensors, left_out


def _tensor(name: str, kind: str, dims: tuple[int, ...], places: tuple[Place, ...], path: Path) -> StoredTensor:
    if kind not in _TYPES:
        raise UsageProblem(f"{path}: {name} is stored as {kind}, which PyTorch does not have")
    # MindSpore writes some numbers with the shape (0,)
    stored = sum(place.size for place in places)
    shape = () if dims == (0,) and stored else dims
    tensor = StoredTensor(_TYPES[kind], shape, places)
    item = dtypes.SIZES[tensor.dtype]
    if min(dims, default=0) < 0 or tensor.size != stored or any(place.size % item for place in places):
        raise errors.DamagedCheckpoint(f"{path}: {name} of shape {dims} does not fit its {stored} bytes")
    return tensor


def _checked_end(file: IO[bytes], path: Path) -> int:
    """Return where the messages end, after a check of the sum that may follow them."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _CRC_LENGTH))
    tail = file.read()
    if not tail.startswith(_CRC_MARK):
        return size
    crc, left = 0, size - _CRC_LENGTH
    file.seek(0)
    while left:
        piece = file.read(min(left, PIECE))
        crc, left = zlib.crc32(piece, crc), left - len(piece)
    if crc != int.from_bytes(tail[len(_CRC_MARK) :], "big"):
        raise errors.DamagedCheckpoint(f"{path}: the checksum does not fit, the file is damaged")
    return size - _CRC_LENGTH


def _varint(file: IO[bytes], end: int) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = file.read(1)
        if not byte or file.tell() > end:
            break
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value
    raise errors.DamagedCheckpoint("the checkpoint is damaged, encrypted, or none of MindSpore's")


def _fields(file: IO[bytes], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Give the fields of a message: number, and start and end of its content (a number is its own start)."""
    file.seek(start)
    while (at := file.tell()) < end:
        tag = _varint(file, end)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value = _varint(file, end)
            at = file.tell()
            yield number, value, value
        else:
            length = {_BYTES: -1, _WIDE: 8, _NARROW: 4}.get(wire)
            if length is None:
                raise errors.DamagedCheckpoint("the checkpoint is damaged, encrypted, or none of MindSpore's")
            length = _varint(file, end) if wire == _BYTES else length
            at = file.tell()
            if at + length > end:
                raise errors.DamagedCheckpoint("the checkpoint is cut off")
            yield number, at, at + length
            at += length
        file.seek(at)


def _messages(file: IO[bytes], start: int, end: int) -> Iterator[tuple[int, int]]:
    for number, first, last in _fields(file, start, end):
        if number == 1:
            yield first, last


def _value(file: IO[bytes], start: int, end: int, path: Path) -> tuple[str, tuple[int, ...], str, Place]:
    tag, tensor = "", None
    for number, first, last in _fields(file, start, end):
        if number == 1:
            tag = _text(file, first, last)
        elif number == 2:
            tensor = first, last
    if not tag or tensor is None:
        raise UsageProblem(f"{path}: {tag or 'an entry'} is no tensor (a MapParameter, perhaps)")
    dims, kind, place = [], "", None
    for number, first, last in _fields(file, *tensor):
        if number == 1:
            dims.append(first)
        elif number == 2:
            kind = _text(file, first, last)
        elif number == 3:
            place = Place(str(path), first, last - first)
    if place is None:
        raise errors.DamagedCheckpoint(f"{path}: {tag} has no numbers")
    return tag, tuple(dims), kind, place


def _text(file: IO[bytes], start: int, end: int) -> str:
    if end - start > _LONGEST_NAME:
        raise errors.DamagedCheckpoint("a name of the checkpoint is damaged")
    file.seek(start)
    return file.read(end - start).decode("utf-8")


def write_mindspore(
    file: IO[bytes], tensors: Mapping[str, StoredTensor], types: Mapping[str, str], pieces: Any, metadata: Mapping[str, str]
) -> None:
    """Write a file; `pieces(name)` gives the bytes of a tensor in its new type."""
    for name, tensor in tensors.items():
        dtype = types[name]
        if dtype not in _NAMES:
            raise UsageProblem(f"a .ckpt file holds no {dtype}, the type of {name}")
        size = tensor.size // dtypes.SIZES[tensor.dtype] * dtypes.SIZES[dtype]
        if size == 0:
            raise UsageProblem(f"a .ckpt file holds no empty tensor such as {name}", "write a .safetensors file")
        description = b"".join(b"\x08" + _encoded(count) for count in tensor.shape)
        description += b"\x12" + _sized(_NAMES[dtype].encode())
        _write_slices(file, name, description, size, pieces(name))


def _write_slices(file: IO[bytes], name: str, description: bytes, size: int, pieces: Iterator[Any]) -> None:
    left_in_slice = 0
    for piece in pieces:
        view = memoryview(piece)
        while view:
            if left_in_slice == 0:
                left_in_slice = min(size, _SLICE)
                size -= left_in_slice
                file.write(_head(name, description, left_in_slice))
            part = view[:left_in_slice]
            file.write(part)
            left_in_slice -= len(part)
            view = view[len(part) :]


def _head(name: str, description: bytes, length: int) -> bytes:
    """Return everything of a message that comes before the content of its tensor."""
    tensor = description + b"\x1a" + _encoded(length)
    value = b"\x0a" + _sized(name.encode()) + b"\x12" + _encoded(len(tensor) + length) + tensor
    return b"\x0a" + _encoded(len(value) + length) + value


def _encoded(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _sized(content: bytes) -> bytes:
    return _encoded(len(content)) + content
