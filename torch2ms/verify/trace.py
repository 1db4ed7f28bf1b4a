"""What one run left behind: losses, weights, modes; written as one .npz without pickles."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(slots=True)
class Trace:
    """One traced run.

    `start` and `final` map "Class#ordinal/key" to arrays; `initial` maps "optimizer/position" to the weights that the
    optimizer was created with; `flags` holds for every step the training flags and `requires_grad` of all modules;
    `refused` names the API at whose refusal the run ended.
    """

    losses: list[float] = field(default_factory=list)
    steps: int = 0
    backwards: int = 0
    end: str = "did not start"
    error: str = ""
    refused: str = ""
    flags: list[dict[str, bool]] = field(default_factory=list)
    gradients: dict[str, float] = field(default_factory=dict)
    initial: dict[str, np.ndarray] = field(default_factory=dict)
    start: dict[str, np.ndarray] = field(default_factory=dict)
    final: dict[str, np.ndarray] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        """Write the trace to `path`."""
        facts = {
            "losses": self.losses,
            "steps": self.steps,
            "backwards": self.backwards,
            "end": self.end,
            "error": self.error,
            "refused": self.refused,
            "flags": self.flags,
            "gradients": self.gradients,
        }
        arrays = {
            f"{group}:{key}": value
            for group in ("initial", "start", "final")
            for key, value in getattr(self, group).items()
        }
        with path.open("wb") as out:
            np.savez(out, facts=np.frombuffer(json.dumps(facts).encode(), np.uint8), **arrays)

    @classmethod
    def load(cls, path: Path) -> Trace:
        """Read a trace that `save` wrote."""
        trace = cls()
        with np.load(path, allow_pickle=False) as archive:
            for name, value in json.loads(archive["facts"].tobytes().decode()).items():
                setattr(trace, name, value)
            for key in archive.files:
                group, _, rest = key.partition(":")
                if rest:
                    getattr(trace, group)[rest] = archive[key]
        return trace


class Stop(BaseException):
    """Raised inside the traced script when enough steps were seen."""
