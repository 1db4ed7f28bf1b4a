"""Runs a folder of test programs through the converter: `python -m scripts.run_cases FOLDER [--kind K] [--workers 1]`.

FOLDER holds `cases.tsv` with the columns id and kind, and for each id a program (`ID.py` or `ID.ipynb`) that leaves its
findings in a global `RESULT`, and `ID.expected.json`: the `RESULT` that PyTorch gave, as nested lists, with floats
rounded to four digits. `ID.expect.md` beside it says what has to become of input that cannot simply be run.

Every program is converted alone and run in a process forked from one that has MindSpore loaded and has run nothing yet,
so that no program sees the state of another. The outcome of each is one of

    equal       the RESULT is PyTorch's
    different   the RESULT is another one, and nothing raised: the one outcome that must never be
    refused     an error was reported, and the program raises where the refused API stands
    error       it raises or dies for any other reason, or the converter broke
    timeout     it ran longer than --timeout
    untouched   the file is left as it was, without a finding, and no RESULT is expected
    unchecked   it ran, or has nothing to run, and no RESULT is expected
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import multiprocessing
import multiprocessing.context
import os
import re
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OUTCOMES = ("equal", "different", "refused", "error", "timeout", "untouched", "unchecked")
_REFUSAL = "was not converted to MindSpore"
# lines that only IPython understands: magics, shell commands, questions
_MAGIC = re.compile(r"^\s*[%!]|=\s*[%!]|\?\s*$")


@dataclass(frozen=True, slots=True)
class Case:
    """One program of the folder."""

    name: str
    kind: str
    source: Path
    expected: Path


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case: its outcome, why, and the errors that the converter reported."""

    case: Case
    outcome: str
    why: str = ""
    findings: tuple[str, ...] = ()


def main() -> int:
    """Print a line for each case and a table by kind; exit with 1 where a result differs or an error came up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", action="append", help="only cases of this kind; may be repeated")
    parser.add_argument("-k", default="", metavar="WORD", help="only cases with this word in their id")
    parser.add_argument("--workers", type=int, default=1, help="how many cases run at once")
    parser.add_argument("--timeout", type=float, default=120, help="seconds that one case may take")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the converted programs here")
    options = parser.parse_args()
    wanted = [case for case in cases(options.folder) if options.k in case.name]
    wanted = [case for case in wanted if not options.kind or case.kind in options.kind]
    os.environ.setdefault("GLOG_v", "3")
    multiprocessing.set_forkserver_preload(["torch2ms.runtime"])
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="torch2ms-cases-") as folder:
        target = options.keep or Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(options.workers) as pool:
            for verdict in pool.map(lambda case: judge(case, target, options.timeout), wanted):
                verdicts.append(verdict)
                print(line(verdict), flush=True)
    print("\n".join(table(verdicts)))
    return 1 if any(verdict.outcome in ("different", "error", "timeout") for verdict in verdicts) else 0


def cases(folder: Path) -> Iterator[Case]:
    """The cases that the folder's list names and whose program is there."""
    with (folder / "cases.tsv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            for suffix in (".py", ".ipynb"):
                source = folder / (row["id"] + suffix)
                if source.exists():
                    yield Case(row["id"], row["kind"], source, folder / f"{row['id']}.expected.json")


def judge(case: Case, target: Path, timeout: float) -> Verdict:
    """Convert a case, run it, and compare its RESULT with the expected one."""
    changed, converted, findings = convert(case.source)
    if any(finding.startswith("T2M9") for finding in findings):
        return Verdict(case, "error", "the converter broke", findings)
    if not case.expected.exists() and not changed:
        return Verdict(case, "refused" if findings else "untouched", "", findings)
    path = target / case.source.name
    path.write_bytes(converted)
    result, raised = run(path, timeout)
    if raised == "timeout":
        return Verdict(case, "timeout", f"{timeout:.0f} s", findings)
    if "leaves no RESULT" in raised and not case.expected.exists():
        return Verdict(case, "unchecked", raised, findings)
    if raised:
        refused = bool(findings) and raised.startswith("NotImplementedError") and _REFUSAL in raised
        return Verdict(case, "refused" if refused else "error", raised, findings)
    if not case.expected.exists():
        return Verdict(case, "unchecked", json.dumps(result), findings)
    differences = list(compare(result, json.loads(case.expected.read_text(encoding="utf-8"))))
    return Verdict(case, "different" if differences else "equal", "; ".join(differences[:4]), findings)


def convert(source: Path) -> tuple[bool, bytes, tuple[str, ...]]:
    """Whether a file changes in the conversion, its bytes afterwards, and the errors reported for it."""
    from torch2ms.diagnostics import Severity
    from torch2ms.project.session import Request, run_request

    _, done = run_request(Request((source,), jobs=1, no_cache=True))
    written, findings = None, []
    for outcome in done.files:
        written = outcome.data if outcome.data is not None else written
        errors = [d for d in outcome.diagnostics if d.severity is Severity.ERROR]
        findings += [f"{d.code} line {d.span.line}: {d.message}" for d in errors]
    return written is not None, source.read_bytes() if written is None else written, tuple(findings)


def run(path: Path, timeout: float) -> tuple[Any, str]:
    """The RESULT of a program as JSON holds it, and what it raised (`timeout` where it had to be stopped)."""
    context = multiprocessing.get_context("forkserver")
    with tempfile.TemporaryDirectory(prefix="torch2ms-case-") as folder:
        answer, log = Path(folder, "answer.json"), Path(folder, "log")
        process = context.Process(target=_execute, args=(str(path.resolve()), folder, str(answer), str(log)))
        process.start()
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            return None, "timeout"
        if not answer.exists():
            said = log.read_text(errors="replace").strip().splitlines()[-1:] if log.exists() else []
            return None, f"the process died with exit code {process.exitcode}: {' '.join(said)}"
        return tuple(json.loads(answer.read_text(encoding="utf-8")))


def _execute(path: str, folder: str, answer: str, log: str) -> None:
    """Run a program in this process, with its output in a file, and write what it left behind."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    from mindspore import runtime

    runtime.launch_blocking()
    try:
        found = [plain(_result(Path(path))), ""]
    except (Exception, SystemExit) as error:  # noqa: BLE001 whatever a program raises is the finding
        lines = "".join(traceback.format_exception_only(type(error), error)).strip()
        steps = [step for step in traceback.extract_tb(error.__traceback__) if step.filename == path]
        found = [None, lines + (f" [line {steps[-1].lineno}: {steps[-1].line}]" if steps else "")]
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


def _result(path: Path) -> Any:
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        lines = [line for text in texts for line in text.split("\n") if not _MAGIC.search(line)]
        program = compile("\n".join(lines), str(path), "exec", dont_inherit=True)
    else:
        program = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    exec(program, namespace)
    if "RESULT" not in namespace:
        raise SystemExit("the program leaves no RESULT")
    return namespace["RESULT"]


def plain(value: Any) -> Any:
    """A value as JSON holds it: tensors as nested lists, sets sorted, infinities and NaN by their names."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "asnumpy"):
        return plain(value.asnumpy().tolist())
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return str(value)


def compare(found: Any, expected: Any, place: str = "RESULT") -> Iterator[str]:
    """The places where two JSON values differ by more than the rounding of the expected one."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted({*found, *expected}):
            if key not in found or key not in expected:
                yield f"{place}[{key!r}] is {'missing' if key not in found else 'too much'}"
            else:
                yield from compare(found[key], expected[key], f"{place}[{key!r}]")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, (one, other) in enumerate(zip(found, expected)):
            yield from compare(one, other, f"{place}[{index}]")
    elif type(found) is not type(expected) or not _close(found, expected):
        yield f"{place} is {_short(found)}, PyTorch has {_short(expected)}"


def _close(found: Any, expected: Any) -> bool:
    if isinstance(found, float):
        return abs(found - expected) <= 1e-4 + 1e-3 * abs(expected)
    return bool(found == expected)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."


def line(verdict: Verdict) -> str:
    """One case in a line, the reasons below it."""
    rows = [f"{verdict.outcome:10} {verdict.case.kind:16} {verdict.case.name}"]
    rows += [f"           {text}" for text in (verdict.why.replace("\n", " | "), *verdict.findings) if text]
    return "\n".join(rows)


def table(verdicts: Iterable[Verdict]) -> list[str]:
    """The number of cases by kind and outcome."""
    counts: dict[str, Counter[str]] = {}
    for verdict in verdicts:
        for kind in (verdict.case.kind, "all"):
            counts.setdefault(kind, Counter())[verdict.outcome] += 1
    order = [*sorted(kind for kind in counts if kind != "all"), *(["all"] if counts else [])]
    rows = ["", "kind".ljust(18) + "".join(outcome.rjust(11) for outcome in OUTCOMES)]
    rows += [kind.ljust(18) + "".join(str(counts[kind][o] or ".").rjust(11) for o in OUTCOMES) for kind in order]
    return rows


if __name__ == "__main__":
    raise SystemExit(main())
