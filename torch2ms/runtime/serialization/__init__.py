"""Checkpoints in PyTorch's own format, read and written without PyTorch, and safetensors files.

Loading never executes anything: a file holds tensors, numbers, text and plain containers, or it is refused.
https://pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

from typing import Any

from . import _reader, _writer, safetensors
from ._atomic import writing
from ._builders import add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals
from ._errors import DamagedCheckpoint, UnsafeCheckpoint
from ._hub import load_state_dict_from_url
from ._tensors import TENSORS

__all__ = [
    "DamagedCheckpoint",
    "UnsafeCheckpoint",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load",
    "load_state_dict_from_url",
    "read_pickle",
    "safe_globals",
    "safetensors",
    "save",
]


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    encoding: str = "utf-8",
    **_options: Any,
) -> Any:
    """Return what `torch.save`, here or in PyTorch, wrote to a path or a file object.

    Large tensors stay on disk until they are used (`mmap=False` reads them at once). `map_location` has no effect,
    MindSpore places tensors by itself. `weights_only=False` has none either: code is never executed. Raises
    UnsafeCheckpoint for files that hold more than data, DamagedCheckpoint for files that are cut off or contradict
    themselves.
    """
    return _reader.load(f, TENSORS, lazy=mmap is not False, encoding=encoding)


def read_pickle(path: Any, encoding: str = "utf-8") -> Any:
    """Return what a plain pickle file holds, under the same rules as a checkpoint."""
    return _reader.read_pickle(path, TENSORS, encoding)


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2, **_options: Any) -> None:
    """Write tensors, numbers, text and containers of them; `torch.load(weights_only=True)` reads the file.

    A path gets its new content when all of it is written; an error leaves the old file as it was. Raises PicklingError
    for whole models and other objects that are code as well as data.
    """
    with writing(f) as file:
        _writer.write(obj, file)
