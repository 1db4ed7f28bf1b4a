"""The baseline of a gradual migration: the findings of a day, which later runs do not report again."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

from torch2ms.diagnostics import Diagnostic
from torch2ms.project.errors import UsageProblem
from torch2ms.project.outcome import FileOutcome, RunOutcome

_USES = re.compile(r"(, used )(\d+)( times?)(?= here)")
# path from the baseline's folder, code, message without its number of uses, that number
_Key = tuple[str, str, str, int]


class Baseline:
    """The known findings; each is taken as often as it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))["findings"]
            self._known = Counter({(row["path"], row["code"], *_counted(row["message"])): int(row["count"]) for row in rows})
        except FileNotFoundError:
            raise UsageProblem(f"the baseline {path} does not exist", "torch2ms check --write-baseline makes it") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageProblem(f"the baseline {path} cannot be read: {error}") from None

    def takes(self, run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic) -> bool:
        """Whether the finding was there before; fewer uses of PyTorch at an import than before are no news."""
        *same, uses = _key(run, file, diagnostic, self._path)
        before = [key for key, left in self._known.items() if left > 0 and key[:3] == tuple(same) and key[3] >= uses]
        if not before:
            return False
        self._known[min(before, key=lambda key: key[3])] -= 1
        return True


def write_baseline(path: Path, run: RunOutcome) -> int:
    """Records the findings of a run as known; the number of them. Lines are not recorded, so code may move."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for file, diagnostic in run.findings():
        counts[(_key(run, file, diagnostic, path)[0], diagnostic.code, diagnostic.message)] += 1
    rows = [
        {"path": rel, "code": code, "message": message, "count": n}
        for (rel, code, message), n in sorted(counts.items())
    ]
    path.write_text(json.dumps({"tool": "torch2ms", "findings": rows}, indent=1) + "\n", encoding="utf-8")
    return counts.total()


def _key(run: RunOutcome, file: FileOutcome, diagnostic: Diagnostic, baseline: Path) -> _Key:
    path = os.path.relpath(run.root.resolve() / file.rel, baseline.resolve().parent)
    return Path(path).as_posix(), diagnostic.code, *_counted(diagnostic.message)


def _counted(message: str) -> tuple[str, int]:
    """A message without its number of uses, and that number."""
    match = _USES.search(message)
    return (_USES.sub(r"\1", message), int(match[2])) if match else (message, 0)
