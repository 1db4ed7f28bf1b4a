"""Convert PyTorch projects into MindSpore source code."""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch2ms.convert import convert_source as convert_source
    from torch2ms.diagnostics import Diagnostic as Diagnostic
    from torch2ms.edits import Result as Result

__version__ = "0.1.0"

_LAZY = {
    "convert_source": "torch2ms.convert",
    "Diagnostic": "torch2ms.diagnostics",
    "Result": "torch2ms.edits",
}


def __getattr__(name: str) -> Any:
    # importing torch2ms.runtime must not load libcst, so the converter's names load on first use
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
