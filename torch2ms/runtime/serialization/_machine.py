"""The state of a machine that reads pickles as data only. Nothing that a file names is imported or called.

The instructions are in `_instructions.py`. Every allocation is charged to a budget before it is made.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from ._errors import Budget, DamagedCheckpoint

MARK = object()
_SCALARS = (str, int, float, bool, bytes, complex, type(None))
_KEY_DEPTH = 4


class Machine:
    """One pickle being read. `find(module, name)` gives a builder, `persistent(id)` a storage."""

    def __init__(
        self,
        data: memoryview,
        start: int,
        budget: Budget,
        find: Callable[[str, str], Any],
        with_state: Callable[[Any, Any, Budget], Any],
        persistent: Callable[[Any], Any],
        encoding: str = "utf-8",
    ) -> None:
        self.data = data
        self.position = start
        self.budget = budget
        self.find = find
        self.with_state = with_state
        self.persistent = persistent
        self.encoding = encoding
        self.stack: list[Any] = []
        self.memo: list[Any] = []

    def take(self, count: int) -> memoryview:
        """Return the next bytes."""
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise DamagedCheckpoint("the checkpoint is cut off")
        self.position, part = end, self.data[self.position : end]
        return part

    def number(self, layout: str) -> Any:
        """Return the next number."""
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]

    def line(self) -> str:
        """Return the text up to the end of the line."""
        # a module or class name is never longer
        ahead = bytes(self.data[self.position : self.position + 1024])
        length = ahead.index(b"\n")
        self.position += length + 1
        return ahead[:length].decode("utf-8")

    def push(self, value: Any, size: int = 0) -> None:
        """Put a value on the stack and charge for it."""
        self.budget.charge(size + 8)
        self.stack.append(value)

    def to_mark(self) -> list[Any]:
        """Remove and return what lies above the last mark."""
        for start in range(len(self.stack) - 1, -1, -1):
            if self.stack[start] is MARK:
                values = self.stack[start + 1 :]
                del self.stack[start:]
                return values
        raise DamagedCheckpoint("a mark is missing in the checkpoint")

    def top(self, kind: type | tuple[type, ...]) -> Any:
        """Return the value on top, which must be of a kind."""
        if not isinstance(self.stack[-1], kind):
            raise DamagedCheckpoint(f"found {type(self.stack[-1]).__name__} where a container should be")
        return self.stack[-1]

    def text(self, length: int) -> None:
        """Push text of a length."""
        self.budget.charge(50 + length)
        self.push(str(self.take(length), "utf-8", "surrogatepass"))

    def raw(self, length: int, kind: Callable[[Any], Any] = bytes) -> None:
        """Push bytes of a length."""
        part = self.take(length)
        self.budget.charge(60 + length)
        self.push(kind(part))

    def old_text(self, length: int) -> None:
        """Push a Python 2 string, decoded as `encoding` says."""
        part = self.take(length)
        self.budget.charge(60 + length)
        self.push(bytes(part) if self.encoding == "bytes" else str(part, self.encoding))

    def remember(self, index: int) -> None:
        """Store the top under a number; picklers number in order."""
        if index < len(self.memo):
            self.memo[index] = self.stack[-1]
        elif index == len(self.memo):
            self.budget.charge(8)
            self.memo.append(self.stack[-1])
        else:
            # some picklers count from 1
            gap = index - len(self.memo)
            if gap > 1:
                raise DamagedCheckpoint("the memo of the checkpoint has a gap")
            self.memo += [None, self.stack[-1]]


def check_key(key: Any, depth: int = 0) -> Any:
    """Return a dict key or set element; containers other than shallow tuples are refused."""
    if isinstance(key, _SCALARS):
        return key
    if isinstance(key, (tuple, frozenset)) and depth < _KEY_DEPTH:
        for part in key:
            check_key(part, depth + 1)
        return key
    raise DamagedCheckpoint(f"{type(key).__name__} is no key of a checkpoint")
