"""`torch.save`, `torch.load` and what belongs to them."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, encoding=None)", "serialization.load(f)"),
)
