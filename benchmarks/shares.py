"""What share of a project converts, and how its backward passes do: `python benchmarks/shares.py REPORT.json ...`.

A report is what `torch2ms convert PROJECT --format json` prints. Files below folders named test or tests, and files
named test_*.py are left out: they are not what a project trains with.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TESTS = re.compile(r"(^|/)(tests?/|test_[^/]*\.py$)")
# forms of training steps that are a gradient function; the rest runs on the gradient tape
_FUNCTIONS = ("lifted", "closure", "nested")


@dataclass(slots=True)
class Shares:
    """Counts of files: sites by how sure their conversion is, training steps by form, refused steps."""

    sites: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    refused_steps: int = 0

    def add(self, other: Shares) -> None:
        """Count the files of another, too."""
        self.sites.update(other.sites)
        self.forms.update(other.forms)
        self.refused_steps += other.refused_steps

    def share(self, kind: str) -> float:
        """Sites of one kind as a share of all."""
        return self.sites[kind] / max(self.sites.total(), 1)

    @property
    def form(self) -> str:
        """The forms of the training steps in a word each: v&g, vjp, tape, refused."""
        steps = self.steps()
        return "+".join(name for name, count in steps.items() if count) or "none"

    def steps(self) -> dict[str, int]:
        """Training steps: by value_and_grad, by vjp, on the tape, refused."""
        functions = sum(self.forms[form] for form in _FUNCTIONS)
        return {"v&g": functions, "vjp": self.forms["vjp"], "tape": self.forms["tape"], "refused": self.refused_steps}

    def line(self) -> str:
        """The counts as text."""
        steps = self.steps()
        total = max(sum(steps.values()), 1)
        by_form = ", ".join(f"{name} {count} ({count / total:.1%})" for name, count in steps.items())
        return (
            f"sites {self.sites.total()}: refused {self.sites['refused']} ({self.share('refused'):.1%}), "
            f"guarded {self.sites['guarded']} ({self.share('guarded'):.1%}); training steps {by_form}"
        )


def shares(report: dict[str, Any], root: Path, folder: str = ".", only: str = "") -> Shares:
    """The counts of a report's files below `folder` of the project at `root`; `only` one script where it is given."""
    found = Shares()
    for file in report["files"]:
        if _counts(_relative(file["path"], root), folder, only):
            found.sites.update(file["sites"])
            found.forms.update(file["loops"])
    for finding in report["findings"]:
        refused = finding["code"].startswith("T2M2") and finding["severity"] == "error"
        found.refused_steps += refused and _counts(_relative(finding["path"], root), folder, only)
    return found


def _relative(path: str, root: Path) -> str:
    return Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path


def _counts(path: str, folder: str, only: str) -> bool:
    if _TESTS.search(path):
        return False
    inside = folder in (".", "") or path.startswith(folder.rstrip("/") + "/")
    return path == f"{folder}/{only}".removeprefix("./") if only else inside


def main(paths: Iterable[str]) -> int:
    """Print one line for each report and one for all."""
    total = Shares()
    for path in paths:
        found = shares(json.loads(Path(path).read_text(encoding="utf-8")), Path("/"))
        total.add(found)
        print(f"{Path(path).stem}: {found.line()}")
    print(f"all: {total.line()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
