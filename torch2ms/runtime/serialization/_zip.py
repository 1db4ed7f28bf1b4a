"""The zip archive around a checkpoint: where its records lie. Only stored records are read in place.

https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import NamedTuple

import numpy as np

from ._errors import Budget, DamagedCheckpoint
from ._source import Source

_END = struct.Struct("<4s4H2LH")
_END64_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 65535
_WIDE = 0xFFFFFFFF
_STORED, _DEFLATED = 0, 8
# bytes that one entry takes in memory
_ENTRY_COST = 400


class Entry(NamedTuple):
    """A record of the archive."""

    header: int
    packed: int
    size: int
    method: int


class Archive:
    """The records of a zip file by name."""

    def __init__(self, source: Source, budget: Budget) -> None:
        self.source = source
        self.budget = budget
        offset, length, count = self._directory()
        self.entries = self._entries(source.read(offset, length), count)

    def _directory(self) -> tuple[int, int, int]:
        size = self.source.size
        tail_start = max(0, size - _END.size - _LONGEST_COMMENT)
        tail = bytes(self.source.read(tail_start, size - tail_start))
        at = tail.rfind(b"PK\5\6")
        if at < 0 or at + _END.size > len(tail):
            raise DamagedCheckpoint("the checkpoint is cut off: its list of records is missing")
        _, _, _, _, count, length, offset, _ = _END.unpack_from(tail, at)
        if count != 0xFFFF and length != _WIDE and offset != _WIDE:
            return offset, length, count
        locator = tail[max(0, at - _END64_LOCATOR.size) : at]
        if not locator.startswith(b"PK\6\7"):
            return offset, length, count
        _, _, end64, _ = _END64_LOCATOR.unpack(locator)
        _, _, _, _, _, _, _, count, length, offset = _END64.unpack(self.source.read(end64, _END64.size))
        return offset, length, count

    def _entries(self, directory: memoryview, count: int) -> dict[str, Entry]:
        self.budget.charge(len(directory))
        entries: dict[str, Entry] = {}
        at = 0
        while at + _ENTRY.size <= len(directory) and len(entries) < count:
            fields = _ENTRY.unpack_from(directory, at)
            if fields[0] != b"PK\1\2":
                raise DamagedCheckpoint("the list of records of the checkpoint is damaged")
            method, packed, size, header = fields[4], fields[8], fields[9], fields[16]
            name_length, extra_length, comment_length = fields[10], fields[11], fields[12]
            name_end = at + _ENTRY.size + name_length
            extra = bytes(directory[name_end : name_end + extra_length])
            size, packed, header = _widen(extra, size, packed, header)
            self.budget.charge(_ENTRY_COST + name_length)
            name = str(directory[at + _ENTRY.size : name_end], "utf-8", "replace")
            entries[name] = Entry(header, packed, size, method)
            at = name_end + extra_length + comment_length
        return entries

    def array(self, name: str) -> np.ndarray:
        """Return the bytes of a record, writable; mapped if it is large."""
        source, start, size = self.place(name)
        return source.array(start, size)

    def place(self, name: str) -> tuple[Source, int, int]:
        """Return where the bytes of a record lie: a source, the position in it and their count."""
        entry = self.entries.get(name)
        if entry is None:
            raise DamagedCheckpoint(f"the record {name!r} is missing in the checkpoint")
        local = _LOCAL.unpack(self.source.read(entry.header, _LOCAL.size))
        if local[0] != b"PK\3\4":
            raise DamagedCheckpoint(f"the record {name!r} of the checkpoint is damaged")
        start = entry.header + _LOCAL.size + local[9] + local[10]
        if entry.method == _STORED:
            return self.source, start, entry.size
        if entry.method != _DEFLATED:
            raise DamagedCheckpoint(f"the record {name!r} is compressed in an unknown way")
        self.budget.charge(entry.size + entry.packed)
        unpacker = zlib.decompressobj(-15)
        unpacked = unpacker.decompress(self.source.read(start, entry.packed), max(1, entry.size))
        if len(unpacked) != entry.size:
            raise DamagedCheckpoint(f"the record {name!r} of the checkpoint is damaged")
        return Source(io.BytesIO(unpacked)), 0, entry.size


def _widen(extra: bytes, *fields: int) -> tuple[int, ...]:
    """Return size, packed size and offset, those that are too large for 32 bits taken from the zip64 field."""
    values = list(fields)
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, at + 4))
            values = [next(wide, value) if value == _WIDE else value for value in values]
        at += 4 + length
    return tuple(values)
