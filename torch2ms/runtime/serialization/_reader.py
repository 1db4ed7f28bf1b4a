"""Loads checkpoints of PyTorch's two formats: the zip archive, and the older sequence of pickles."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from . import _builders, _instructions
from ._builders import Names, StorageType
from ._errors import Budget, DamagedCheckpoint
from ._machine import Machine
from ._source import Source
from ._types import SIZES, Storage
from ._zip import Archive

_MAGIC = 0x1950A86A20F9469CFC6C
_LEGACY_PROTOCOL = 1001


def load(file: Any, tensors: Any, lazy: bool = True, encoding: str = "utf-8") -> Any:
    """Return what the checkpoint holds, with the tensors of a library (see `_tensors.Tensors`)."""
    source = Source(file, lazy)
    names = Names(tensors)
    try:
        budget = Budget(source.size)
        head = bytes(source.read(0, min(4, source.size)))
        if head == b"PK\3\4":
            return _load_zip(source, budget, names, tensors, encoding)
        if head[:1] == b"\x80":
            return _Legacy(source, budget, names, tensors, encoding).load()
        raise DamagedCheckpoint("this file is no PyTorch checkpoint")
    except (struct.error, UnicodeDecodeError) as error:
        raise DamagedCheckpoint(f"the checkpoint is damaged: {error}") from error
    finally:
        source.close()


def read_pickle(path: Any, tensors: Any, encoding: str = "utf-8") -> Any:
    """Return what a plain pickle file holds, under the same rules as a checkpoint."""
    source = Source(path)
    try:
        data = source.array(0, source.size).data
        budget = Budget(source.size)
        return _instructions.run(
            Machine(data, 0, budget, Names(tensors).find, _builders.with_state, _no_storage, encoding)
        )
    finally:
        source.close()


def _load_zip(source: Source, budget: Budget, names: Names, tensors: Any, encoding: str) -> Any:
    archive = Archive(source, budget)
    root = next((name[: -len("data.pkl")] for name in archive.entries if name.endswith("/data.pkl")), None)
    if root is None:
        if any(name.endswith("constants.pkl") for name in archive.entries):
            raise DamagedCheckpoint("this is a TorchScript program; save the state_dict() of the model instead")
        raise DamagedCheckpoint("this archive is no PyTorch checkpoint: it has no data.pkl")
    if f"{root}constants.pkl" in archive.entries:
        raise DamagedCheckpoint("this is a TorchScript program; save the state_dict() of the model instead")
    if f"{root}byteorder" in archive.entries and archive.array(f"{root}byteorder").tobytes() == b"big":
        raise DamagedCheckpoint("this checkpoint was written on a big-endian machine")
    storages: dict[str, Storage] = {}

    def storage(identifier: Any) -> Storage:
        entry = _identify(identifier)
        if entry.key not in storages:
            budget.charge(256)
            place = archive.place(f"{root}data/{entry.key}")
            storages[entry.key] = Storage(tensors.storage(*place), None)
        return storages[entry.key]._replace(dtype=entry.dtype)

    data = archive.array(f"{root}data.pkl").data
    return _instructions.run(Machine(data, 0, budget, names.find, _builders.with_state, storage, encoding))


class _Identity(NamedTuple):
    key: str
    dtype: str | None
    view: Any


def _identify(identifier: Any) -> _Identity:
    """Take apart what the pickle says about a storage."""
    if not isinstance(identifier, tuple) or len(identifier) < 5 or identifier[0] not in ("storage", b"storage"):
        raise DamagedCheckpoint("the checkpoint refers to something that is no storage")
    _, kind, key, _, count, *rest = identifier
    if isinstance(key, bytes):
        key = key.decode("ascii")
    if not isinstance(kind, StorageType) or not isinstance(key, str) or type(count) is not int or count < 0:
        raise DamagedCheckpoint("the checkpoint describes a storage wrongly")
    return _Identity(key, kind.dtype, rest[0] if rest else None)


class _Legacy:
    """The older format: a magic number, a version, facts of the machine, the object, the keys, the storages."""

    def __init__(self, source: Source, budget: Budget, names: Names, tensors: Any, encoding: str) -> None:
        self.source = source
        self.names = names
        self.tensors = tensors
        self.budget = budget
        self.encoding = encoding
        self.data = source.array(0, source.size).data
        self.places: dict[str, tuple[int, int]] = {}
        self.types: dict[str, str] = {}

    def pickle(self, start: int, persistent: Any, budget: Budget) -> tuple[Any, int]:
        """Return the object of the pickle at a position, and the position behind it."""
        machine = Machine(
            self.data, start, budget, self.names.find, _builders.with_state, persistent, self.encoding
        )
        return _instructions.run(machine), machine.position

    def load(self) -> Any:
        """Return the object."""
        magic, at = self.pickle(0, _no_storage, self.budget)
        version, at = self.pickle(at, _no_storage, self.budget)
        if magic != _MAGIC or version != _LEGACY_PROTOCOL:
            raise DamagedCheckpoint("this pickle is no PyTorch checkpoint")
        machine, at = self.pickle(at, _no_storage, self.budget)
        if not isinstance(machine, dict) or machine.get("little_endian") is not True:
            raise DamagedCheckpoint("this checkpoint was written on a big-endian machine")
        # where the storages lie is only known behind the object, so the object is read twice
        _, end = self.pickle(at, self.declare, Budget(self.source.size))
        keys, end = self.pickle(end, _no_storage, self.budget)
        self.locate(keys, end)
        return self.pickle(at, self.storage, self.budget)[0]

    def declare(self, identifier: Any) -> Storage:
        """Note the type of a storage, and stand in for it."""
        entry = _identify(identifier)
        self.types[entry.key] = entry.dtype or "uint8"
        return Storage(None, entry.dtype)

    def locate(self, keys: Any, at: int) -> None:
        """Find the storages, which follow one another with their lengths before them."""
        if not isinstance(keys, list):
            raise DamagedCheckpoint("the list of storages of the checkpoint is damaged")
        for key in keys:
            name = key.decode("ascii") if isinstance(key, bytes) else key
            if name not in self.types:
                raise DamagedCheckpoint("the checkpoint lists a storage that it does not use")
            (count,) = struct.unpack("<q", self.source.read(at, 8))
            size = count * SIZES[self.types[name]]
            if count < 0 or at + 8 + size > self.source.size:
                raise DamagedCheckpoint("the checkpoint is cut off")
            self.places[name] = at + 8, size
            at += 8 + size

    def storage(self, identifier: Any) -> Storage:
        """Return a storage, or the part of one that a view names."""
        entry = _identify(identifier)
        if entry.key not in self.places:
            raise DamagedCheckpoint(f"the storage {entry.key!r} is missing in the checkpoint")
        start, size = self.places[entry.key]
        if entry.view is not None:
            item = SIZES[entry.dtype or "uint8"]
            _, offset, count = entry.view
            if type(offset) is not int or type(count) is not int or min(offset, count) < 0:
                raise DamagedCheckpoint("the checkpoint describes a storage wrongly")
            if (offset + count) * item > size:
                raise DamagedCheckpoint("a storage of the checkpoint reaches beyond another one")
            start, size = start + offset * item, count * item
        return Storage(self.tensors.storage(self.source, start, size), entry.dtype)


def _no_storage(_identifier: Any) -> Any:
    raise DamagedCheckpoint("the checkpoint refers to a storage where there is none")
