"""What came of one subject: the counts of its cases, and the first of each class that is not equal."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

CLASSES = ("equal", "refused", "error", "different")


@dataclass
class Row:
    """A row of the parity table. `reasons` and `examples` keep what was seen by class; "jit" is a class of its own."""

    entry: str
    form: str
    api: str
    dtype: str
    equal: int = 0
    refused: int = 0
    error: int = 0
    different: int = 0
    at_run_time: int = 0  # of the refused
    unspelled: int = 0
    jit: str = ""
    seconds: float = 0.0
    reasons: dict[str, list[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.entry} | {self.form} | {self.dtype}"

    @property
    def samples(self) -> int:
        """The cases that PyTorch itself runs."""
        return self.equal + self.refused + self.error + self.different

    def note(self, kind: str, reason: str, example: str) -> None:
        """Keep a few distinct reasons of a class."""
        known = self.reasons.setdefault(kind, [])
        if reason not in known and len(known) < 4:
            known.append(reason)
            self.examples.setdefault(kind, []).append(example)

    def merge(self, other: Row) -> None:
        """Add what another process found of the same subject."""
        for name in (*CLASSES, "at_run_time", "unspelled", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.jit = other.jit or self.jit
        for kind, reasons in other.reasons.items():
            for reason, example in zip(reasons, other.examples[kind]):
                self.note(kind, reason, example)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Row:
        return cls(**{f.name: values[f.name] for f in fields(cls)})
