"""`torchvision` for MindSpore: transforms, data sets on disk, image grids, boxes, and the best known models."""

from __future__ import annotations

import importlib
from typing import Any

from . import datasets, transforms, utils

__all__ = ["datasets", "models", "ops", "transforms", "utils"]


def __getattr__(name: str) -> Any:
    # these need the layers, which a data pipeline does not
    if name in ("models", "ops"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
