"""The runtime's readers and writers of files, without the runtime.

`torch2ms.runtime` loads MindSpore (some 400 MB), which its modules about bytes do not need. They are loaded here as a
package of their own, so that one implementation, the hardened one, reads every checkpoint.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import torch2ms

if TYPE_CHECKING:
    from torch2ms.runtime.serialization import _atomic as atomic
    from torch2ms.runtime.serialization import _errors as errors
    from torch2ms.runtime.serialization import _pickler as pickler
    from torch2ms.runtime.serialization import _reader as reader
    from torch2ms.runtime.serialization import _safetensors as safetensors
    from torch2ms.runtime.serialization import _source as source
    from torch2ms.runtime.serialization import _types as dtypes
else:
    _PACKAGE = f"{__name__}.serialization"
    _package = types.ModuleType(_PACKAGE, "The byte-level part of torch2ms.runtime.serialization.")
    _package.__path__ = [str(Path(torch2ms.__file__).parent / "runtime" / "serialization")]
    sys.modules[_PACKAGE] = _package
    atomic, errors, pickler, reader, safetensors, source, dtypes = (
        importlib.import_module(f"{_PACKAGE}.{name}")
        for name in ("_atomic", "_errors", "_pickler", "_reader", "_safetensors", "_source", "_types")
    )

__all__ = ["atomic", "dtypes", "errors", "pickler", "reader", "safetensors", "source"]
