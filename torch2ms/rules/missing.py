"""Names that rules emit and the runtime does not have: their uses are refused. Made by `scripts/list_missing.py`."""

from __future__ import annotations

MISSING: frozenset[str] = frozenset(
    """
    mint.nn.SyncBatchNorm.convert_sync_batchnorm
    """.split()
)
