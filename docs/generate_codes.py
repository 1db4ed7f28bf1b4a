"""Writes codes.md, the table of all codes: `python docs/generate_codes.py`."""

from __future__ import annotations

from pathlib import Path

from torch2ms.diagnostics import CODES

HEAD = """# Codes

Every finding carries a code; `torch2ms explain CODE` prints its row. The hundreds say what it is about: 0 files and
syntax, 1 APIs, 2 training and autograd, 3 in-place writes and aliases, 4 data and files, 5 devices and scale, 9 internal.
An `error` makes the exit code 1.

| code | severity | title | explanation |
|---|---|---|---|
"""


def main() -> None:
    """Write the file beside this script."""
    rows = [f"| {row.code} | {row.severity.name.lower()} | {row.title} | {row.explanation} |" for row in CODES.values()]
    Path(__file__).with_name("codes.md").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
