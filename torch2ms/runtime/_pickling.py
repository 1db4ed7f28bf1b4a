"""Models that can be pickled: MindSpore pickles everything in a Cell but its primitives.

A primitive is built again from the arguments that it was built with, which is also how MindSpore copies it.
"""

from __future__ import annotations

from typing import Any

from mindspore.ops import Primitive


def _build(kind: type, arguments: dict[str, Any]) -> Primitive:
    return kind(**arguments)


def _reduce(self: Primitive) -> Any:
    return _build, (type(self), dict(self.init_attrs))


def install() -> None:
    """Give primitives what pickle asks for."""
    if "__reduce__" not in Primitive.__dict__:
        Primitive.__reduce__ = _reduce
