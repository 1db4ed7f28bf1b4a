"""Regions of lower precision: MindSpore casts the inputs of the operations on its white list."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from .version import private


def mixed_precision(dtype: Any) -> AbstractContextManager[Any]:
    """Return a context in which matrix products and convolutions run in `dtype`."""

    def find() -> Any:
        from mindspore._c_expression.amp import AmpLevel
        from mindspore.train import amp

        lists = amp.AMP_AUTO_WHITE_LIST, amp.AMP_AUTO_BLACK_LIST
        names = [[(primitive.__name__, amp.AMP_PRIM_ARG_TABLE[primitive]) for primitive in part] for part in lists]
        return amp.AmpDecorator(AmpLevel.AmpAuto, dtype, *names)

    return private("AmpDecorator", find)
