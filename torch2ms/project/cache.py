"""Results of former runs, found again by content, configuration, version and the facts of the files they rest on."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import os
import time
import zlib
from pathlib import Path
from typing import Any

import torch2ms
from torch2ms.diagnostics import CODES, Diagnostic
from torch2ms.edits import Result, Stats
from torch2ms.project.discover import EntryKind
from torch2ms.project.outcome import FileOutcome
from torch2ms.project.write import write_atomic
from torch2ms.source import SourceFile, Span

_KEPT_SECONDS = 14 * 24 * 3600


def digest(*parts: bytes | str) -> str:
    """A hash of the parts; no two different lists of parts share one by how they are joined."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.hexdigest()


def default_folder() -> Path:
    """Where results are kept: TORCH2MS_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("TORCH2MS_CACHE_DIR")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("torch2ms", appauthor=False))


@functools.cache
def fingerprint() -> str:
    """Changes whenever the installed converter does, also where it is installed for development."""
    package = Path(torch2ms.__file__).parent
    stamps = []
    for folder, folders, files in os.walk(package):
        if Path(folder) == package:
            folders[:] = [name for name in folders if name not in ("runtime", "verify", "report", "cli")]
        for name in files:
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                stamps.append(f"{os.path.relpath(folder, package)}/{name}:{status.st_size}:{status.st_mtime_ns}")
    import sys

    return digest(torch2ms.__version__, repr(sys.version_info[:3]), *sorted(stamps))


class Cache:
    """Small files named by their keys; several runs may use one folder at once. A folder of None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self._wrote = False

    def get(self, key: str) -> Any | None:
        """The stored JSON value, or None where there is none or it is damaged."""
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            value = json.loads(zlib.decompress(path.read_bytes()))
        except (OSError, ValueError, zlib.error):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return value

    def put(self, key: str, value: Any) -> None:
        """Stores a JSON value; a cache that cannot be written is no error."""
        if self.folder is None:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, zlib.compress(json.dumps(value).encode("utf-8"), 1))
            self._wrote = True

    def close(self) -> None:
        """Drops what was not used for two weeks; looks at most once a day."""
        if self.folder is None or not self._wrote:
            return
        marker = self.folder / "pruned"
        now = time.time()
        with contextlib.suppress(OSError):
            if marker.exists() and now - marker.stat().st_mtime < 24 * 3600:
                return
            marker.touch()
            for path in self.folder.glob("??/*"):
                if now - path.stat().st_mtime > _KEPT_SECONDS:
                    path.unlink()

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / key[2:]


def to_json(outcome: FileOutcome) -> dict[str, Any]:
    """An outcome as JSON, without the source text, which the reader has."""
    result = outcome.result
    return {
        "encoding": result.source.encoding,
        "newline": result.source.newline,
        "text": result.text if result.changed else None,
        "source": result.source.text if outcome.cells else None,
        "data": outcome.data.decode("latin-1") if outcome.data is not None else None,
        "cells": outcome.cells,
        "diagnostics": [[d.code, dataclasses.astuple(d.span), d.message, d.help] for d in result.diagnostics],
        "stats": {field.name: dict(getattr(result.stats, field.name)) for field in dataclasses.fields(Stats)},
    }


def from_json(value: Any, rel: str, kind: EntryKind, data: bytes) -> FileOutcome | None:
    """The outcome that `to_json` described, for a file with these bytes; None where the value has another form."""
    try:
        text = value["source"] if value["source"] is not None else data.decode(value["encoding"])
        source = SourceFile(rel, text, value["encoding"], value["newline"])
        diagnostics = tuple(
            Diagnostic(code, Span(*span), message, help) for code, span, message, help in value["diagnostics"]
        )
        if any(diagnostic.code not in CODES for diagnostic in diagnostics):
            return None
        new = text if value["text"] is None else value["text"]
        result = Result(source, new, diagnostics, Stats(**value["stats"]))
        written = value["data"].encode("latin-1") if value["data"] is not None else None
        cells = tuple((line, cell) for line, cell in value["cells"])
        return FileOutcome(rel, kind, result, written, cells, cached=True)
    except (KeyError, TypeError, ValueError):
        return None
