"""`numpy.array(x, copy=None)` on numpy 1: scripts written for numpy 2 run beside a MindSpore that needs numpy 1."""

from __future__ import annotations

from typing import Any

import numpy as np


def install() -> None:
    """Let numpy 1 read `copy=None` as numpy 2 does: copy only where that is needed, which is its own `copy=False`."""
    if int(np.__version__.partition(".")[0]) >= 2:
        return
    original = np.array

    def array(*args: Any, **options: Any) -> Any:
        if "copy" in options and options["copy"] is None:
            options["copy"] = False
        return original(*args, **options)

    np.array = array
