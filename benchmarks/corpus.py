"""Verifies the conversion of public training scripts: `python benchmarks/corpus.py LIST.tsv CHECKOUTS [-k WORD]`.

LIST.tsv has the columns repo, entry and notes; an entry is `folder: script arguments`, or `driver NAME` for the small
training driver beside the list. CHECKOUTS holds one folder for each repository, named by --names or by the part of
the repository's name behind the slash. Every repository is converted once, as a whole, into --build.

The table says for each entry the form of its training step (v&g, vjp or tape), the losses compared and the largest
relative difference, the largest weight difference as a multiple of its bound, refused and guarded uses of PyTorch in
the entry's folder, and the verdict with its reason; then what share of the folders' uses is refused and guarded, and the
forms of all training steps of the repositories outside their tests.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import corpus_data
from shares import Shares, shares

from torch2ms.verify.run import Job, Verdict, verify

# so many updates are compared; the flags that make them happen where the listed ones stop earlier
_UPDATES = 4
_DROPPED_FLAGS = ("--dry-run",)
_OTHER_ARGUMENTS = {
    "time_sequence_prediction": "--steps 4",
    "mnist_forward_forward": "--epochs 4 --train_size 32 --test_size 16",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One runnable script of a repository."""

    repo: str
    name: str
    folder: str
    script: str
    arguments: list[str]
    stub: tuple[str, ...] = ()


def main() -> int:
    """Print the table; exit with 1 when an entry does not agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--names", help="JSON object: repository -> folder in CHECKOUTS", default="{}")
    parser.add_argument("--build", type=Path, default=Path("build/corpus"))
    parser.add_argument("--driver", type=Path, help="the training driver; default: train_module.py beside LIST.tsv")
    parser.add_argument("-k", default="", help="only entries that contain this word")
    parser.add_argument("--timeout", type=float, default=400)
    parser.add_argument("--torch-only", action="store_true", help="only trace the originals")
    parser.add_argument("--json", type=Path, help="write all verdicts here")
    options = parser.parse_args()
    names = json.loads(options.names)
    # one script reads a pickled array with PyTorch's loader of before 2.6
    os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
    failures, table = 0, []
    for entry in _entries(options.list):
        if options.k not in f"{entry.repo} {entry.name}":
            continue
        checkout = options.checkouts / names.get(entry.repo, entry.repo.split("/")[1])
        row = _check(entry, checkout, options)
        failures += not row["ok"]
        table.append(row)
        print(_line(row), flush=True)
    print(f"{len(table) - failures} of {len(table)} entries agree")
    if not options.torch_only:
        _print_shares(options.build, table)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1))
    return 1 if failures else 0


def _entries(path: Path) -> list[Entry]:
    found = []
    with path.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            text = row["entry"] or ""
            if not row["notes"].startswith("OK"):
                continue
            stub: tuple[str, ...] = ()
            if "[--stub" in text:
                text, _, names = text.partition("[--stub")
                stub = tuple(names.strip(" ]").split(","))
            if text.startswith("driver "):
                found.append(Entry(row["repo"], text, ".", "", [text.split()[1]], stub))
                continue
            folder, _, command = text.partition(": ")
            script, rest = _split_command(command)
            listed = [word for word in rest if word not in _DROPPED_FLAGS]
            other = next((value for key, value in _OTHER_ARGUMENTS.items() if key in folder), None)
            found.append(
                Entry(row["repo"], text.strip(), folder, script, shlex.split(other) if other else listed, stub)
            )
    return found


def _split_command(command: str) -> tuple[str, list[str]]:
    # script names of the corpus hold parentheses, which a shell would not take
    script, _, rest = command.partition(".py")
    return script + ".py", rest.split()


def _check(entry: Entry, checkout: Path, options: argparse.Namespace) -> dict[str, object]:
    source = _prepared(checkout, options)
    converted = source.parent / (source.name + "_ms")
    if not options.torch_only:
        _convert(source, converted)
    script = Path("train_module_driver.py") if not entry.script else Path(entry.folder, entry.script)
    # a checkout whose packages are imported by name needs its root on the path
    job = Job(
        script=source / script,
        converted=converted / script,
        arguments=entry.arguments,
        fake_data=True,
        cwd=(source / script).parent,
        converted_cwd=(converted / script).parent,
        path=[source, *_package_roots(source, script)],
        converted_path=[converted, *_package_roots(converted, script)],
        stub=entry.stub,
        reference=_reference(options.build, entry),
        timeout=options.timeout,
    )
    counts = {"form": "-"} if options.torch_only else _counts(source, converted, entry)
    return {**_row(entry, verify(job)), **counts}


def _reference(build: Path, entry: Entry) -> Path:
    folder = build.resolve() / "traces"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (re.sub(r"[^\w.-]+", "_", f"{entry.repo}_{entry.name}") + ".npz")


def _package_roots(root: Path, script: Path) -> list[Path]:
    return [root / parent for parent in script.parents if parent != Path(".")]


def _prepared(checkout: Path, options: argparse.Namespace) -> Path:
    """A copy of the checkout with the small data files that its scripts read."""
    target = (options.build / checkout.name).resolve()
    if target.exists():
        return target
    shutil.copytree(checkout, target, symlinks=True, ignore=shutil.ignore_patterns(".git", "*.gif", "*.png", "*.pdf"))
    driver = options.driver or options.list.parent / "train_module.py"
    shutil.copy(driver, target / "train_module_driver.py")
    corpus_data.write(target)
    return target


def _convert(source: Path, target: Path) -> None:
    if target.exists():
        return
    command = [sys.executable, "-m", "torch2ms", "convert", str(source), "-o", str(target)]
    # exit code 1 only says that something is left to do; a missing script is reported when it is run
    report = subprocess.run([*command, "--format", "json"], capture_output=True, text=True).stdout
    target.with_suffix(".json").write_text(report, encoding="utf-8")


def _report(converted: Path) -> dict[str, object]:
    return json.loads(converted.with_suffix(".json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _counts(source: Path, converted: Path, entry: Entry) -> dict[str, object]:
    """The form of the entry's training step, and the counts of its folder."""
    report = _report(converted)
    # the step stands in the script, else in a module beside it, else somewhere in the repository
    places = ((entry.folder, entry.script), (entry.folder, ""), (".", ""))
    forms = (shares(report, source, *place).form for place in places)
    found = shares(report, source, entry.folder)
    return {
        "form": next((form for form in forms if form != "none"), "none"),
        "sites": found.sites.total(),
        "refused": found.sites["refused"],
        "guarded": found.sites["guarded"],
        "folder": f"{source.name}/{entry.folder}",
    }


def _print_shares(build: Path, table: list[dict[str, object]]) -> None:
    folders = {row["folder"]: row for row in table}
    total = sum(int(str(row["sites"])) for row in folders.values())
    for kind in ("refused", "guarded"):
        number = sum(int(str(row[kind])) for row in folders.values())
        print(f"{kind} in the entries' folders: {number} of {total} uses ({number / max(total, 1):.1%})")
    everything = Shares()
    for name in {str(folder).partition("/")[0] for folder in folders}:
        source = build.resolve() / name
        everything.add(shares(_report(source.with_name(name + "_ms")), source))
    print(f"whole repositories: {everything.line()}")


def _row(entry: Entry, verdict: Verdict) -> dict[str, object]:
    compared = verdict.comparison
    return {
        "entry": f"{entry.repo} {entry.name}",
        "ok": _agrees(verdict),
        "losses": len(compared.losses),
        "worst loss": compared.worst_loss,
        "worst weight": compared.worst_weight,
        "verdict": _verdict(verdict),
        "problems": list(compared.problems),
        "ignored": list(compared.ignored),
        "wrong weights": [f"{w.what} {w.torch}, {w.mindspore}" for w in compared.weights if not w.ok],
        "torch": verdict.torch.losses[:6],
        "mindspore": verdict.mindspore.losses[:6],
        "torch error": verdict.torch.error[-3000:],
        "mindspore error": verdict.mindspore.error[-3000:],
    }


def _agrees(verdict: Verdict) -> bool:
    """Whether the losses of the first four updates and all final weights agree."""
    compared = verdict.comparison
    judged = (*compared.losses[:_UPDATES], *compared.weights)
    enough = verdict.torch.steps + verdict.torch.backwards >= _UPDATES
    return enough and bool(compared.losses) and not compared.problems and all(row.ok for row in judged)


def _verdict(verdict: Verdict) -> str:
    """Why an entry agrees or not, in a few words."""
    compared = verdict.comparison
    said = "; ".join(compared.problems[:2])
    if not said:
        wrong = [row for row in (*compared.losses, *compared.weights) if not row.ok]
        said = f"{len(wrong)} differ, the first {wrong[0].what}" if wrong else "agrees"
        if wrong and _agrees(verdict):
            said = f"agrees, but for {len(wrong)} of {len(compared.losses)} losses, the first {wrong[0].what}"
    if compared.noise:
        said += f", judged by what rounding does in PyTorch itself (losses {compared.noise:.1e})"
    return said + (f"; refused after the last update: {compared.refusal}" if compared.refusal else "")


def _line(row: dict[str, object]) -> str:
    head = f"{'ok  ' if row['ok'] else 'FAIL'} {row['entry']}"
    figures = f"losses {row['losses']} worst {row['worst loss']:.1e}, weights {row['worst weight']:.1e} of bound"
    counts = f"refused {row.get('refused', '-')} guarded {row.get('guarded', '-')} of {row.get('sites', '-')}"
    return f"{head} | {row['form']} | {figures} | {counts} | {row['verdict']}"


if __name__ == "__main__":
    sys.exit(main())
