"""`torchvision` for MindSpore: transforms, data sets on disk, image grids."""

from __future__ import annotations

from . import datasets, transforms, utils

__all__ = ["datasets", "transforms", "utils"]
