"""`torch.save`, `torch.load` and what belongs to them."""
from __future__ import annotations

from torch2ms.rules.api import Api

ROWS = (
    Api("torch.save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False)", "serialization.save(obj, f)"),
    Api("torch.load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, encoding=None)", "serialization.load(f)"),
)
