"""Runs the programs beside PyTorch in a process of its own: once float64 was the default, the runtime's functions stay exchanged."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from tests.side_by_side import check

PROGRAMS = Path(__file__).parent / "programs"
# float64 with all of its digits, in results that some hundred operations lead to
TOLERANCE = 1e-12


def main() -> None:
    """Print {program: "" or what went wrong}."""
    names = sys.argv[1:] or sorted(path.stem for path in PROGRAMS.glob("*.py"))
    found = {}
    for name in names:
        try:
            check((PROGRAMS / f"{name}.py").read_text(), TOLERANCE)
            found[name] = ""
        except Exception:  # noqa: BLE001 what a program raises is what its test fails with
            found[name] = traceback.format_exc()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
