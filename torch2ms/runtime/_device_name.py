"""The name of a device, which answers PyTorch's questions and equals PyTorch's spellings."""

from __future__ import annotations

from typing import Any


def canonical(name: str) -> tuple[str, str]:
    """Return (kind, index) with one name for all accelerators."""
    kind, _, index = str(name).lower().partition(":")
    return ("accelerator" if kind in ("cuda", "npu", "ascend", "gpu") else kind), index


class _Kind(str):
    """A device name that equals every spelling of the same kind: `"CPU" == "cpu"`, `"Ascend" == "cuda"`.

    Scripts ask `device.type == "cuda"` to learn whether there is an accelerator; the question keeps its meaning.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and canonical(self) == canonical(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(canonical(self))

    def startswith(self, prefix: Any, *bounds: Any) -> bool:
        """Tell whether the kind is the prefix in any spelling, or the text starts with it."""
        if str.startswith(self, prefix, *bounds):
            return True
        return not bounds and isinstance(prefix, str) and canonical(self)[0] == canonical(prefix)[0]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and (str.__contains__(self, text) or canonical(self)[0] == canonical(text)[0])


class Device(_Kind):
    """A device as text, `"Ascend:0"` or `"cpu"`, that also answers PyTorch's questions `.type` and `.index`."""

    __slots__ = ()

    def __new__(cls, name: str = "CPU", index: int | None = None) -> Device:
        """Build from `"Ascend"`, `"Ascend:1"` or a name and an index; the CPU is spelled as PyTorch spells it."""
        kind, _, number = str(name).partition(":")
        kind = "cpu" if kind == "CPU" else kind
        if number:
            if index is not None:
                raise RuntimeError(f"the device {name!r} already has an index, {index} was passed as well")
            index = int(number)
        return super().__new__(cls, kind if index is None else f"{kind}:{index}")

    def __getnewargs__(self) -> tuple[str]:
        return (str(self),)

    @property
    def type(self) -> _Kind:
        """The target without its index: `"Ascend"`, `"GPU"` or `"cpu"`."""
        return _Kind(str(self).partition(":")[0])

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """The number behind the colon, None without one."""
        number = str(self).partition(":")[2]
        return int(number) if number else None

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_exc: object) -> None:
        return None
