"""`python -m tests.parity`: every row of the tables against PyTorch on all samples; writes a table, fails on a difference.

python -m tests.parity --processes 2 --out parity.tsv            everything
python -m tests.parity --only '^(add|sub)' --forms function      part of it
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from tests.parity import table
from tests.parity.calls import FORMS, dtypes, subjects
from tests.parity.pool import Job, run

# the function form takes every sample; the others reach the same functions of the runtime, by other rows
COUNTS = {"method": 12, "operator": 8, "in-place": 8, "alias": 6}


def main() -> int:
    """Run, write and judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="a regular expression for the names of entries")
    parser.add_argument("--forms", nargs="+", default=list(FORMS), choices=FORMS)
    parser.add_argument("--dtypes", nargs="+", default=None)
    parser.add_argument("--count", type=int, default=None, help="at most so many samples of each subject")
    parser.add_argument("--no-jit", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("parity.tsv"))
    options = parser.parse_args()
    jobs = list(_jobs(options))
    rows = []
    with options.out.with_suffix(".jsonl").open("w") as log:
        for row in run(jobs, options.processes):
            rows.append(row)
            log.write(json.dumps(row.to_json()) + "\n")
            log.flush()
    options.out.write_text(table.text(rows))
    sys.stdout.write(table.summary(rows))
    return int(bool(table.faults(rows)))


def _jobs(options: argparse.Namespace) -> list[Job]:
    found, compiled = [], set()
    for subject in subjects():
        if not re.search(options.only, subject.entry) or subject.form not in options.forms:
            continue
        for dtype in dtypes(subject):
            if options.dtypes is not None and dtype not in options.dtypes:
                continue
            count = COUNTS.get(subject.form)
            if options.count is not None:
                count = min(options.count, count or options.count)
            jit = (
                not options.no_jit and subject.form in ("function", "method", "eval") and subject.entry not in compiled
            )
            if jit:
                compiled.add(subject.entry)
            found.append(Job(subject, dtype, count, jit))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
