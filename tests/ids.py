"""Names of parametrized tests that are the same in every process."""

from __future__ import annotations

import re


def stable(value: object) -> str:
    """The value as text, without addresses: the workers of a parallel run must collect the same names."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
